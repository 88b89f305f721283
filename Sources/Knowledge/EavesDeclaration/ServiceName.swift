// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The names of services, which are those of their protocols.
///
/// People write `UserService`. Two interfaces may both have a protocol of that name, so the note of a
/// built module says which one it means: `CommonInterface.UserService`, with the Swift module in front.
package enum ServiceName {
    /// The name without what qualifies it: `UserService` of `CommonInterface.UserService`.
    package static func word(_ name: String) -> String {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return name }
        return String(name[name.utf8.index(after: dot)...])
    }

    /// The name of the Swift module in front; `nil` if there is none.
    package static func module(_ name: String) -> String? {
        name.utf8.firstIndex(of: UInt8(ascii: ".")).map { String(name[..<$0]) }
    }

    /// Whether two names can mean the same service. A name that is not qualified means any service of
    /// that name.
    package static func agree(_ left: String, _ right: String) -> Bool {
        if left.utf8.count == right.utf8.count { return left == right }
        let (short, long) =
            left.utf8.count < right.utf8.count ? (left.utf8, right.utf8) : (right.utf8, left.utf8)
        let rest = long.dropLast(short.count)
        return rest.last == UInt8(ascii: ".") && long.suffix(short.count).elementsEqual(short)
    }

    /// Whether one of the names can mean a service.
    package static func isAmong(_ names: [String], _ service: String) -> Bool {
        names.contains { agree($0, service) }
    }

    /// Whether one of the names can mean a service. Not generic: the runtime would look up at each start
    /// how a set is gone through.
    package static func isAmong(_ names: Set<String>, _ service: String) -> Bool {
        names.contains { agree($0, service) }
    }
}
