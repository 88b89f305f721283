// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Finding out how a text is laid out, so that what is new looks like what was there.
extension JSONEditor {
    /// The layout of a member that stands in `object` at a place; `nil` stands for no object.
    func layout(like object: JSONNode?, at offset: Int) -> JSONLayout {
        let members = object?.members ?? []
        var layout = JSONLayout.compact
        layout.colon = colon(of: members.last ?? root.members?.last)
        layout.gap = layout.colon == [.colon] ? [] : [.space]
        layout.padding = layout.gap
        if let first = members.first, !startsLine(at: first.nameRange.lowerBound) {
            layout.padding = blanks(before: first.nameRange.lowerBound)
        }
        if let last = members.last {
            if startsLine(at: last.nameRange.lowerBound) {
                breakLines(in: &layout, at: offset)
            } else if members.count > 1 {
                layout.gap = blanks(before: last.nameRange.lowerBound)
            }
        }
        return layout
    }

    /// The layout of the value that is to stand in the place of another.
    func layout(replacing node: JSONNode, in parent: JSONNode?) -> JSONLayout {
        var layout = layout(like: parent, at: node.range.lowerBound)
        if node.members?.isEmpty == true, bytes[node.range].contains(.lineFeed) {
            breakLines(in: &layout, at: node.range.lowerBound)
        }
        return layout
    }

    private func breakLines(in layout: inout JSONLayout, at offset: Int) {
        let end = bytes.firstIndex(of: .lineFeed) ?? 0
        let hasReturn = end > 0 && bytes[end - 1] == .carriageReturn
        layout.lineBreak = hasReturn ? [.carriageReturn, .lineFeed] : [.lineFeed]
        layout.indentation = indentation(at: offset)
        layout.unit = unit
    }

    /// One step of indentation: that of the first member of the whole that has a line of its own.
    private var unit: [UInt8] {
        let first = root.members?.first { startsLine(at: $0.nameRange.lowerBound) }
        let found = first.map { blanks(before: $0.nameRange.lowerBound) } ?? []
        return found.isEmpty ? [.space, .space] : found
    }

    /// What stands between a member's name and its value.
    private func colon(of member: JSONMember?) -> [UInt8] {
        guard let member else { return [.colon, .space] }
        let found = bytes[member.nameRange.upperBound..<member.value.range.lowerBound]
        return found.contains(.lineFeed) ? [.colon, .space] : Array(found)
    }

    private func startsLine(at offset: Int) -> Bool {
        bytes[..<(offset - blanks(before: offset).count)].last == .lineFeed
    }

    private func indentation(at offset: Int) -> [UInt8] {
        let start = bytes[..<offset].lastIndex(of: .lineFeed).map { $0 + 1 } ?? 0
        return Array(bytes[start..<offset].prefix(while: \.isBlank))
    }

    private func blanks(before offset: Int) -> [UInt8] {
        Array(bytes[..<offset].reversed().prefix(while: \.isBlank).reversed())
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == .space || self == UInt8(ascii: "\t") }
}
