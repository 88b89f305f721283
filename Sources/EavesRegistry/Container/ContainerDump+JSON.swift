// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON

extension ContainerDump {
    /// The same as one object.
    package var json: JSON {
        ["schema": 1, "registrations": .array(entries.map(\.json))]
    }
}

extension ContainerDump.Entry {
    fileprivate var json: JSON {
        [
            "service": .string(service), "name": name.map(JSON.string) ?? .null,
            "arguments": .array(arguments.map(JSON.string)), "scope": .string(scope),
            "module": module.map(JSON.string) ?? .null, "place": .string(place),
            "isMade": .bool(isMade), "isAlternative": .bool(isAlternative),
            "target": target.map(JSON.string) ?? .null, "needs": .array(needs.map(JSON.string)),
            "decorators": .array(decorators.map(JSON.string)),
        ]
    }
}
