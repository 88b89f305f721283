// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface
package import EavesJSON

extension Settings {
    /// The settings in a manifest's entry.
    ///
    /// - Parameter directory: The folder of the manifest.
    package init(_ members: [JSON.Member], directory: String) {
        self.init(Self.table(members), directory: directory)
    }

    private static func table(_ members: [JSON.Member]) -> [String: Value] {
        Dictionary(members.map { ($0.name, value($0.value)) }) { _, last in last }
    }

    private static func value(_ json: JSON) -> Value {
        switch json {
        case .null: .null
        case .bool(let bool): .bool(bool)
        case .integer(let integer): .number(Double(integer))
        case .number(let number): .number(number)
        case .string(let text): .string(text)
        case .array(let elements): .list(elements.map(value))
        case .object(let members): .table(table(members))
        }
    }
}
