// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The words that describe a request for a service, for messages.
public struct ServiceRequest: Hashable, Sendable, CustomStringConvertible {
    /// The service's name without its module, such as `UserService`.
    public let service: String
    /// The service's name with its module, such as `EavesInterface.UserService`.
    public let qualifiedService: String
    /// The name that the service is registered under; `nil` for the unnamed implementation.
    public let name: String?
    /// The types of the runtime arguments, in order.
    public let arguments: [String]

    /// Describes a request.
    ///
    /// - Parameters:
    ///   - service: The service's type.
    ///   - name: The name that the service is registered under; `nil` for the unnamed implementation.
    ///   - arguments: The types of the runtime arguments, in order.
    public init(_ service: Any.Type, name: String? = nil, arguments: [Any.Type] = []) {
        if service == (any Feature).self {
            // Every launch and every registration of a feature comes here, so skip the runtime's
            // slow lookup of the type's name.
            self.service = "Feature"
            self.qualifiedService = Self.qualifiedFeature
        } else {
            self.service = Self.words(service, qualified: false)
            self.qualifiedService = Self.words(service, qualified: true)
        }
        self.name = name
        self.arguments = arguments.map { Self.words($0, qualified: false) }
    }

    private static func words(_ type: Any.Type, qualified: Bool) -> String {
        TypeWords.readable(_typeName(type, qualified: qualified))
    }

    private static var qualifiedFeature: String { "EavesInterface.Feature" }

    /// Such as `UserService`, `UserService named 'admin'`, `Greeting(String)` or `feature 'login'`.
    public var description: String {
        if qualifiedService == Self.qualifiedFeature, let name { return "feature '\(name)'" }
        let types = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
        return service + types + (name.map { " named '\($0)'" } ?? "")
    }
}

/// Turns the runtime's name of a type into the one that people write.
///
/// The runtime calls `any Repo<Int>` `any Repo<Self.Repo.Item == Int>`.
private enum TypeWords {
    /// A name without paths from `Self`. If a protocol has several of them, the runtime does not know the
    /// order in which they were written, so each keeps its own name: `any Table<Key == Int, Row == Text>`.
    static func readable(_ name: String) -> String {
        // Most types have no brackets, and looking for a text takes longer than for a byte.
        guard name.utf8.contains(UInt8(ascii: "<")),
            let start = name.firstRange(of: "<Self.")?.lowerBound,
            let (parts, end) = list(at: start, in: name)
        else { return name }
        let constraints = parts.map { constraint($0, isOnly: parts.count == 1) }
        return name[..<start] + "<" + constraints.joined(separator: ", ") + ">"
            + readable(String(name[name.index(after: end)...]))
    }

    private static func constraint(_ part: Substring, isOnly: Bool) -> String {
        guard let equals = part.firstRange(of: " == ") else { return readable(String(part)) }
        let type = readable(String(part[equals.upperBound...]))
        guard !isOnly, let label = part[..<equals.lowerBound].split(separator: ".").last else {
            return type
        }
        return "\(label) == \(type)"
    }

    /// The parts of the list in the bracket at `start`, and the place of the bracket that closes it.
    private static func list(
        at start: String.Index, in name: String
    ) -> (parts: [Substring], end: String.Index)? {
        var parts: [Substring] = []
        var depth = 0
        var begin = name.index(after: start)
        var previous: Character = " "
        for index in name[start...].indices {
            let character = name[index]
            depth += change(character, after: previous)
            if depth == 0 || (depth == 1 && character == ",") {
                parts.append(name[begin..<index])
                if depth == 0 { return (parts, index) }
                begin = name.index(index, offsetBy: 2, limitedBy: name.endIndex) ?? name.endIndex
            }
            previous = character
        }
        return nil
    }

    /// The change that a character makes to the depth of brackets. The `>` of an arrow does not.
    private static func change(_ character: Character, after previous: Character) -> Int {
        switch character {
        case "<", "(", "[": 1
        case ">" where previous == "-": 0
        case ">", ")", "]": -1
        default: 0
        }
    }
}

extension StringProtocol where SubSequence == Substring {
    fileprivate func firstRange(of text: String) -> Range<Index>? {
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(text) {
                return index..<self.index(index, offsetBy: text.count)
            }
            index = self.index(after: index)
        }
        return nil
    }
}
