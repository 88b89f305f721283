// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A value to write as JSON. Objects keep the order they are given.
package enum JSON: Hashable, Sendable {
    package struct Member: Hashable, Sendable {
        package var name: String
        package var value: JSON

        package init(name: String, value: JSON) {
            self.name = name
            self.value = value
        }
    }

    case null
    case bool(Bool)
    case integer(Int)
    /// Infinities and NaN, which JSON cannot say, are written as `null`.
    case number(Double)
    case string(String)
    case array([JSON])
    /// The names are the caller's to keep apart: they are written as they are given.
    case object([Member])

    /// The value as text, without a line break at the end.
    ///
    /// - Parameter pretty: One element a line, indented by two spaces, as `jq` writes it; else one
    ///   line without any space.
    package func text(pretty: Bool) -> String {
        var writer = JSONWriter(layout: pretty ? .pretty : .compact)
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSON {
    /// The value of an object's member; `nil` where there is none, or no object.
    package subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }
}
