// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// One pass over the bytes of a text, by recursive descent.
struct JSONParser {
    let bytes: [UInt8]
    /// The next byte to read.
    var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The whole text: one value, and nothing but space around it.
    mutating func document() throws(JSONSyntaxError) -> JSONNode {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw failure(.byteOrderMark, at: 0) }
        let root = try value(depth: 0)
        try skipSpace()
        guard offset == bytes.count else { throw unexpected(.endOfText) }
        return root
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONNode {
        try skipSpace()
        let start = offset
        let content: JSONNode.Content
        switch next {
        case .quote: content = .string(try string())
        case .openBrace: content = .object(try object(depth: depth + 1))
        case .openBracket: content = .array(try array(depth: depth + 1))
        case UInt8(ascii: "t") where take("true"): content = .bool(true)
        case UInt8(ascii: "f") where take("false"): content = .bool(false)
        case UInt8(ascii: "n") where take("null"): content = .null
        case let byte? where byte.isDigit || byte == UInt8(ascii: "-"): content = try number()
        default: throw unexpected(.value)
        }
        return JSONNode(content, range: start..<offset)
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> [JSONNode] {
        let start = try open(depth: depth)
        var elements: [JSONNode] = []
        if next == .closeBracket {
            offset += 1
            return elements
        }
        repeat {
            elements.append(try value(depth: depth))
        } while try goesOn(to: .closeBracket, expected: .commaOrBracket, opened: start)
        return elements
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> [JSONMember] {
        let start = try open(depth: depth)
        var members: [JSONMember] = []
        if next == .closeBrace {
            offset += 1
            return members
        }
        repeat {
            guard next == .quote else { throw unexpected(.name, opened: start) }
            let nameStart = offset
            let name = try string()
            let nameRange = nameStart..<offset
            try skipSpace()
            guard next == .colon else { throw unexpected(.colon, opened: start) }
            offset += 1
            members.append(
                JSONMember(name: name, nameRange: nameRange, value: try value(depth: depth)))
        } while try goesOn(to: .closeBrace, expected: .commaOrBrace, opened: start)
        try refuseDuplicates(in: members)
        return members
    }

    /// Steps behind the bracket that opens an array or object and the space there.
    ///
    /// - Returns: Where the bracket stands.
    private mutating func open(depth: Int) throws(JSONSyntaxError) -> Int {
        let start = offset
        guard depth <= JSONNode.depthLimit else {
            throw failure(.tooDeep(limit: JSONNode.depthLimit), at: start)
        }
        offset += 1
        try skipSpace()
        return start
    }

    /// Steps behind the comma or the closing bracket that follows an element.
    ///
    /// - Returns: Whether another element follows.
    private mutating func goesOn(
        to closing: UInt8, expected: JSONSyntaxError.Expected, opened: Int
    ) throws(JSONSyntaxError) -> Bool {
        try skipSpace()
        let separator = offset
        guard next == .comma || next == closing else { throw unexpected(expected, opened: opened) }
        let isComma = next == .comma
        offset += 1
        guard isComma else { return false }
        try skipSpace()
        if next == closing { throw failure(.trailingComma, at: separator) }
        return true
    }

    private func refuseDuplicates(in members: [JSONMember]) throws(JSONSyntaxError) {
        // Few names are compared faster than hashed.
        if members.count <= 8 {
            for (index, member) in members.enumerated() {
                for earlier in members[..<index] where earlier.name == member.name {
                    throw duplicate(member, of: earlier)
                }
            }
        } else {
            var seen = Dictionary<String, JSONMember>(minimumCapacity: members.count)
            for member in members {
                if let earlier = seen.updateValue(member, forKey: member.name) {
                    throw duplicate(member, of: earlier)
                }
            }
        }
    }

    private func duplicate(_ member: JSONMember, of earlier: JSONMember) -> JSONSyntaxError {
        let first = TextPosition(offset: earlier.nameRange.lowerBound, in: bytes)
        let problem = JSONSyntaxError.Problem.duplicateKey(member.name, first: first)
        return failure(problem, at: member.nameRange.lowerBound)
    }
}
