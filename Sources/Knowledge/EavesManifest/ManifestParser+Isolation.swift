// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesJSON

// An entry says where the module runs, which rights it has there, and how much it may take.
extension ManifestParser {
    /// Whether the module runs in a process of its own.
    mutating func isIsolated(_ node: JSONNode, _ keys: String) -> Bool {
        guard let text = node.string else {
            note(.wrongType(expected: .isolation, found: node.kind), node, keys)
            return false
        }
        if text != ManifestKey.process { note(.unknownIsolation(text), node, keys) }
        return text == ManifestKey.process
    }

    mutating func permissions(_ node: JSONNode, _ keys: String) -> Permissions {
        let fields = fields(of: node, as: ManifestKey.Permission.self, keys)
        var permissions = Permissions()
        permissions.read = list(fields, .read, keys) { $0.text($1, $2) }
        permissions.write = list(fields, .write, keys) { $0.text($1, $2) }
        permissions.run = list(fields, .run, keys) { $0.text($1, $2) }
        permissions.connect = list(fields, .connect, keys) { $0.endpoint($1, $2) }
        permissions.listen = list(fields, .listen, keys) { $0.endpoint($1, $2) }
        permissions.environment = list(fields, .environment, keys) { $0.variable($1, $2) }
        if let node = fields[.resolve] {
            permissions.resolvesNames = bool(node, keys + ".resolve") ?? false
        }
        return permissions
    }

    private mutating func list<Value>(
        _ fields: ManifestFields, _ key: ManifestKey.Permission, _ keys: String,
        _ value: (inout ManifestParser, JSONNode, String) -> Value?
    ) -> [Value] {
        guard let node = fields[key] else { return [] }
        let keys = "\(keys).\(key.rawValue)"
        var values: [Value] = []
        for (index, element) in array(node, keys).enumerated() {
            if let value = value(&self, element, "\(keys)[\(index)]") { values.append(value) }
        }
        return values
    }

    private mutating func endpoint(_ node: JSONNode, _ keys: String) -> NetworkEndpoint? {
        guard let text = string(node, keys) else { return nil }
        let endpoint = NetworkEndpoint(text)
        if endpoint == nil { note(.invalidEndpoint(text), node, keys) }
        return endpoint
    }

    private mutating func variable(_ node: JSONNode, _ keys: String) -> String? {
        guard let name = text(node, keys) else { return nil }
        guard name.utf8.contains(UInt8(ascii: "=")) else { return name }
        note(.invalidVariable(name), node, keys)
        return nil
    }

    mutating func limits(_ node: JSONNode, _ keys: String) -> IsolationLimits {
        let fields = fields(of: node, as: ManifestKey.Limit.self, keys)
        var limits = IsolationLimits()
        if let node = fields[.call], let text = string(node, keys + ".call") {
            limits.call = Quantity.duration(text)
            if limits.call == nil { note(.invalidDuration(text), node, keys + ".call") }
        }
        if let node = fields[.memory], let text = string(node, keys + ".memory") {
            limits.memory = Quantity.bytes(text)
            if limits.memory == nil { note(.invalidSize(text), node, keys + ".memory") }
        }
        if let node = fields[.processes] {
            let allowed = 1...IsolationLimits.mostProcesses
            if let count = node.integer, allowed.contains(count) {
                limits.processes = count
            } else {
                note(
                    .invalidLimit(
                        expected: "a whole number from 1 to \(allowed.upperBound)",
                        found: source(node)), node, keys + ".processes")
            }
        }
        return limits
    }
}
