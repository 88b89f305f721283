// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface
package import EavesJSON

extension Settings {
    /// The settings in a manifest's entry.
    ///
    /// - Parameters:
    ///   - directory: The folder of the manifest.
    ///   - places: The places of the values in the manifest, by their names.
    package init(
        _ members: [JSON.Member], directory: String, places: [String: String] = [:]
    ) {
        self.init(Self.table(members), directory: directory)
        self.places = places
        text = { JSON.object(members).text(pretty: false) }
    }

    private static func table(_ members: [JSON.Member]) -> [String: Value] {
        Dictionary(members.map { ($0.name, value($0.value)) }) { _, last in last }
    }

    private static func value(_ json: JSON) -> Value {
        switch json {
        case .null: .null
        case .bool(let bool): .bool(bool)
        case .integer(let integer):
            Double(exactly: integer).map(Value.number) ?? .digits(String(integer))
        case .number(let numeral):
            numeral.isReal ? .number(numeral.real) : .digits(numeral.text)
        case .string(let text): .string(text)
        case .array(let elements): .list(elements.map(value))
        case .object(let members): .table(table(members))
        }
    }
}
