// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// An instance at the other end of a channel, and what it is an instance of.
struct RemoteName: Sendable {
    let number: UInt64
    /// The service's qualified name; `nil` for the instance that both ends know without one.
    let service: String?
    /// The name of the implementation.
    let name: String?

    /// The instance by which one end speaks with the other itself.
    static let other = RemoteName(number: 0, service: nil, name: nil)

    var isNamed: Bool { service != nil }

    /// The content of the message that names it.
    var content: [UInt8] {
        let names = [service ?? ""] + [name].compactMap(\.self)
        return Array(names.joined(separator: "\0").utf8)
    }

    /// - Returns: `nil` if the content is not one that ``content`` makes.
    init?(_ number: UInt64, _ content: [UInt8]) {
        let parts = content.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        guard let service = parts.first.flatMap({ String(validating: $0, as: UTF8.self) }),
            !service.isEmpty
        else { return nil }
        self.number = number
        self.service = service
        name = parts.count == 2 ? String(decoding: parts[1], as: UTF8.self) : nil
    }

    init(number: UInt64, service: String?, name: String?) {
        self.number = number
        self.service = service
        self.name = name
    }
}
