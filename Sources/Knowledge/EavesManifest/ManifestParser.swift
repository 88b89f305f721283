// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
internal import EavesJSON
internal import EavesSystem
internal import EavesTrust

/// Takes the values out of a manifest, and collects everything that is wrong with it.
struct ManifestParser {
    /// The problems so far, sorted by their places. Of very many, the first ones and their number.
    var sortedProblems: [ManifestProblem] {
        problems.sorted { ($0.position ?? .start) < ($1.position ?? .start) }
            .abridged { ManifestProblem(.further($0)) }
    }
    private(set) var problems: [ManifestProblem] = []
    private typealias Kind = ManifestProblem.Kind
    private let lines: TextLines
    private let bytes: [UInt8]
    private var fields = ManifestFields<ManifestKey>(members: [])

    init(_ root: JSONNode, in bytes: [UInt8]) {
        lines = TextLines(bytes)
        self.bytes = bytes
        // The keys of another version are not checked: they may have another meaning.
        if let version = root[ManifestKey.manifest.rawValue], version.integer != 1 {
            let found = version.integer.map(String.init) ?? version.kind
            note(.unsupportedVersion(found: found), version, ManifestKey.manifest.rawValue)
            return
        }
        fields = fields(of: root, as: ManifestKey.self, "")
        _ = text(.schema)
        if root.members != nil, fields[.manifest] == nil { note(.missingVersion, root, "") }
    }

    mutating func directories() -> [String] {
        var texts: Set<String> = []
        var places: Set<String> = []
        return list(fields, .directories) { parser, node, keys in
            guard let name = parser.text(node, keys) else { return nil }
            if !texts.insert(name).inserted { parser.note(.repeatedDirectory(name), node, keys) }
            // The schema compares texts alone, so another spelling of a directory is not a mistake. It
            // is searched once.
            return places.insert(Path.absolute(name, from: "/")).inserted ? name : nil
        } ?? ["Plugins"]
    }

    mutating func compilers() -> [String] {
        var known: Set<String> = []
        return list(fields, .compilers) { parser, node, keys in
            guard let series = parser.text(node, keys) else { return nil }
            if !Names.isCompilerSeries(series) {
                parser.note(.invalidCompiler(series), node, keys)
            } else if !known.insert(series).inserted {
                parser.note(.repeatedCompiler(series), node, keys)
            }
            return series
        } ?? []
    }

    mutating func modules() -> [ModuleEntry] {
        guard let node = fields[.modules] else { return [] }
        return object(node, "modules").map { member in
            if !Names.isModuleID(member.name) {
                note(.invalidModuleID(member.name), at: member.nameRange.lowerBound, "modules")
            }
            return entry(member)
        }
    }

    private mutating func entry(_ member: JSONMember) -> ModuleEntry {
        let position = lines.position(of: member.nameRange.lowerBound)
        var entry = ModuleEntry(id: member.name, position: position)
        let keys = Self.join("modules", member.name)
        let fields = fields(of: member.value, as: ManifestKey.Module.self, keys)
        entry.library = value(fields, .library, keys) { $0.text($1, $2) }
        entry.isEnabled = value(fields, .enabled, keys) { $0.bool($1, $2) } ?? true
        entry.sha256 = value(fields, .sha256, keys) {
            $0.parsed($1, $2, Kind.invalidDigest) { Names.isDigest($0) ? $0.lowercased() : nil }
        }
        entry.leastVersion = value(fields, .leastVersion, keys) {
            $0.parsed($1, $2, Kind.invalidVersion) { Names.isVersion($0) ? ModuleVersion($0) : nil }
        }
        entry.isIsolated = value(fields, .isolation, keys) { $0.isIsolated($1, $2) } ?? false
        if let node = fields[.permissions] {
            entry.permissions = permissions(node, keys + ".permissions")
        }
        if let node = fields[.limits] { entry.limits = limits(node, keys + ".limits") }
        let allowsStack = value(fields, .executableStack, keys) { $0.bool($1, $2) }
        entry.allowsExecutableStack = allowsStack ?? false
        entry.discardsState = value(fields, .discardState, keys) { $0.bool($1, $2) } ?? false
        let settings = value(fields, .settings, keys) { $0.object($1, $2) } ?? []
        for setting in settings {
            entry.settings.append(JSON.Member(name: setting.name, value: setting.value.value))
            entry.settingPositions[setting.name] =
                lines.position(of: setting.value.range.lowerBound)
        }
        return entry
    }

    mutating func bindings() -> [Binding] {
        guard let node = fields[.bindings] else { return [] }
        var bindings: [Binding] = []
        for member in object(node, "bindings") {
            let start = member.nameRange.lowerBound
            if !Names.isBindingKey(member.name) {
                note(.invalidServiceName(member.name), at: start, "bindings")
            }
            guard let target = target(member) else { continue }
            bindings.append(
                Binding(
                    key: BindingKey(text: member.name), target: target,
                    position: lines.position(of: start)))
        }
        return bindings
    }

    private mutating func target(_ member: JSONMember) -> Binding.Target? {
        let node = member.value
        let keys = Self.join("bindings", member.name)
        if let members = node.members { return weights(members, node, keys).map { .weights($0) } }
        guard node.string != nil else {
            return right(nil, "the id of a module, or an object of weights", node, keys)
        }
        guard let module = text(node, keys) else { return nil }
        if !Names.isModuleID(module) { note(.invalidModuleID(module), node, keys) }
        return .module(module)
    }

    private mutating func weights(
        _ members: [JSONMember], _ node: JSONNode, _ keys: String
    ) -> Weights? {
        let count = problems.count
        var shares: [BindingShare] = []
        var key: String?
        for member in members {
            let value = member.value
            if member.name == Weights.keyMember {
                key = value.string
                if !(key.map(Names.isChoiceKey) ?? false) {
                    let keys = Self.join(keys, member.name)
                    note(.invalidChoiceKey(found: source(value)), value, keys)
                }
                continue
            }
            if !Names.isModuleID(member.name) {
                note(.invalidModuleID(member.name), at: member.nameRange.lowerBound, keys)
            }
            guard let weight = value.integer, (0...Weights.limit).contains(weight) else {
                note(.invalidWeight(found: source(value)), value, Self.join(keys, member.name))
                continue
            }
            shares.append(BindingShare(member.name, weight))
        }
        guard problems.count == count else { return nil }
        guard shares.contains(where: { $0.weight > 0 }) else {
            note(.noWeight, node, keys)
            return nil
        }
        return Weights(shares, by: key)
    }

    /// A value as messages show it: a number as it is written, since the number itself is wrong.
    private func source(_ node: JSONNode) -> String {
        switch node.content {
        case .integer, .number: String(decoding: bytes[node.range], as: UTF8.self)
        case .string(let text): text.quoted
        default: node.kind
        }
    }

    /// The name of a feature or a path, as written.
    mutating func text(_ key: ManifestKey) -> String? {
        value(fields, key) { $0.text($1, $2) }
    }

    mutating func probation() -> ProbationPolicy {
        let name = ManifestKey.probation.rawValue
        var policy = ProbationPolicy()
        guard let node = fields[.probation] else { return policy }
        if let isOn = node.bool {
            policy.isOn = isOn
            return policy
        }
        guard node.members != nil else {
            return right(nil, "true, false, or an object of limits", node, name) ?? policy
        }
        for member in fields(of: node, as: ManifestKey.Probation.self, name).members {
            guard let key = ManifestKey.Probation(rawValue: member.name) else { continue }
            let keys = Self.join(name, member.name)
            if key == .oneAtATime {
                policy.isOneAtATime = bool(member.value, keys) ?? false
            } else if !policy.set(key, to: member.value) {
                let problem = Kind.invalidLimit(
                    expected: ProbationPolicy.words(key), found: source(member.value))
                note(problem, member.value, keys)
            }
        }
        return policy
    }

    mutating func signatures() -> SignatureRule? {
        value(fields, .signatures) {
            $0.parsed($1, $2, Kind.unknownSignatureRule, SignatureRule.init(rawValue:))
        }
    }

    mutating func signers() -> [String: [String]]? {
        guard let node = fields[.signers] else { return nil }
        var signers: [String: [String]] = [:]
        for member in object(node, "signers") {
            if member.name.isEmpty { note(.empty, at: member.nameRange.lowerBound, "signers") }
            let keys = Self.join("signers", member.name)
            var patterns: [String] = []
            for (index, element) in array(member.value, keys).enumerated() {
                let pattern = parsed(element, "\(keys)[\(index)]", Kind.invalidIDPattern) {
                    Names.isIDPattern($0) ? $0 : nil
                }
                if let pattern { patterns.append(pattern) }
            }
            signers[member.name] = patterns
        }
        return signers
    }

    private mutating func note(_ kind: Kind, _ node: JSONNode, _ keys: String) {
        note(kind, at: node.range.lowerBound, keys)
    }

    private mutating func note(_ kind: Kind, at offset: Int, _ keys: String) {
        problems.append(ManifestProblem(kind, at: lines.position(of: offset), keys: keys))
    }
}

// An entry says where the module runs, which rights it has there, and how much it may take.
extension ManifestParser {
    private mutating func isIsolated(_ node: JSONNode, _ keys: String) -> Bool {
        guard let text = right(node.string, "'process'", node, keys) else { return false }
        if text != ManifestKey.process { note(.unknownIsolation(text), node, keys) }
        return text == ManifestKey.process
    }

    private mutating func permissions(_ node: JSONNode, _ keys: String) -> Permissions {
        let fields = fields(of: node, as: ManifestKey.Permission.self, keys)
        var permissions = Permissions()
        permissions.read = list(fields, .read, keys) { $0.text($1, $2) } ?? []
        permissions.write = list(fields, .write, keys) { $0.text($1, $2) } ?? []
        permissions.run = list(fields, .run, keys) { $0.text($1, $2) } ?? []
        permissions.connect = list(fields, .connect, keys) { $0.endpoint($1, $2) } ?? []
        permissions.listen = list(fields, .listen, keys) { $0.endpoint($1, $2) } ?? []
        permissions.environment = list(fields, .environment, keys) { $0.variable($1, $2) } ?? []
        permissions.resolvesNames = value(fields, .resolve, keys) { $0.bool($1, $2) } ?? false
        return permissions
    }

    private mutating func endpoint(_ node: JSONNode, _ keys: String) -> NetworkEndpoint? {
        parsed(node, keys, Kind.invalidEndpoint) { NetworkEndpoint($0) }
    }

    private mutating func variable(_ node: JSONNode, _ keys: String) -> String? {
        guard let name = text(node, keys) else { return nil }
        guard name.utf8.contains(UInt8(ascii: "=")) else { return name }
        note(.invalidVariable(name), node, keys)
        return nil
    }

    private mutating func limits(_ node: JSONNode, _ keys: String) -> IsolationLimits {
        let fields = fields(of: node, as: ManifestKey.Limit.self, keys)
        var limits = IsolationLimits()
        limits.call = value(fields, .call, keys) {
            $0.parsed($1, $2, Kind.invalidDuration, Quantity.duration)
        }
        limits.memory = value(fields, .memory, keys) {
            $0.parsed($1, $2, Kind.invalidSize, Quantity.bytes)
        }
        limits.temporary =
            value(fields, .temporary, keys) {
                $0.parsed($1, $2, Kind.invalidSize, Quantity.bytes)
            } ?? limits.temporary
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

/// Returns values of the right type, or collects a problem.
///
/// `keys` is always the path of keys that leads to the value.
extension ManifestParser {
    /// Returns the value of a key, if it is there and of the right form.
    private mutating func value<Key, Value>(
        _ fields: ManifestFields<Key>, _ key: Key, _ keys: String = "",
        _ parse: (inout ManifestParser, JSONNode, String) -> Value?
    ) -> Value? {
        guard let node = fields[key] else { return nil }
        return parse(&self, node, keys.isEmpty ? key.rawValue : "\(keys).\(key.rawValue)")
    }

    /// Returns the elements of an array that are of the right form; `nil` if the key is not there.
    private mutating func list<Key, Value>(
        _ fields: ManifestFields<Key>, _ key: Key, _ keys: String = "",
        _ parse: (inout ManifestParser, JSONNode, String) -> Value?
    ) -> [Value]? {
        value(fields, key, keys) { parser, node, keys in
            var values: [Value] = []
            for (index, element) in parser.array(node, keys).enumerated() {
                if let value = parse(&parser, element, "\(keys)[\(index)]") { values.append(value) }
            }
            return values
        }
    }

    /// Returns the value that a text stands for, or collects the problem with it.
    private mutating func parsed<Value>(
        _ node: JSONNode, _ keys: String, _ problem: (String) -> Kind, _ parse: (String) -> Value?
    ) -> Value? {
        guard let text = string(node, keys) else { return nil }
        let value = parse(text)
        if value == nil { note(problem(text), node, keys) }
        return value
    }

    /// Returns the members of an object that may have only certain keys.
    private mutating func fields<Key: RawRepresentable<String> & CaseIterable>(
        of node: JSONNode, as type: Key.Type, _ keys: String
    ) -> ManifestFields<Key> {
        let members = object(node, keys)
        let known = Key.allCases.map(\.rawValue)
        for member in members where Key(rawValue: member.name) == nil {
            note(.unknownKey(member.name, known: known), at: member.nameRange.lowerBound, keys)
        }
        return ManifestFields(members: members)
    }

    private mutating func object(_ node: JSONNode, _ keys: String) -> [JSONMember] {
        right(node.members, "an object", node, keys) ?? []
    }

    private mutating func array(_ node: JSONNode, _ keys: String) -> [JSONNode] {
        right(node.elements, "an array", node, keys) ?? []
    }

    private mutating func string(_ node: JSONNode, _ keys: String) -> String? {
        right(node.string, "a string", node, keys)
    }

    private mutating func bool(_ node: JSONNode, _ keys: String) -> Bool? {
        right(node.bool, "true or false", node, keys)
    }

    /// Returns a string that can be a name or a path.
    private mutating func text(_ node: JSONNode, _ keys: String) -> String? {
        guard let text = string(node, keys) else { return nil }
        if text.isEmpty {
            note(.empty, node, keys)
        } else if text.utf8.contains(0) {
            note(.containsNUL, node, keys)
        } else {
            return text
        }
        return nil
    }

    /// Appends a key to a path of keys, in quotes if it could be mistaken for two keys.
    private static func join(_ keys: String, _ key: String) -> String {
        let isUnambiguous =
            !key.isEmpty && !key.utf8.contains { $0 <= 0x20 || $0 >= 0x7F || $0 == 0x2E }
        return "\(keys).\(isUnambiguous ? key : key.quoted)"
    }

    private mutating func right<Value>(
        _ value: Value?, _ expected: String, _ node: JSONNode, _ keys: String
    ) -> Value? {
        if value == nil { note(.wrongType(expected: expected, found: node.kind), node, keys) }
        return value
    }
}

/// The members of an object of the manifest, by key.
///
/// Looks keys up one after the other, since they are few. A dictionary would cost each start of the command more than
/// all of the parsing: to find the conformances of its key, the runtime searches all conformances of the process.
private struct ManifestFields<Key: RawRepresentable<String>> {
    let members: [JSONMember]

    subscript(key: Key) -> JSONNode? {
        let name = key.rawValue
        return members.last { $0.name == name }?.value
    }
}
