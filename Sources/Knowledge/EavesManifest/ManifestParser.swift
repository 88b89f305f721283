// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
internal import EavesJSON
internal import EavesSystem
internal import EavesTrust

/// The keys of a manifest. `Documentation/manifest.schema.json` lists them for editors.
package enum ManifestKey: String, CaseIterable, Sendable {
    case schema = "$schema"
    case manifest, directories, compilers, modules, bindings, launch, open, probation, signatures
    case allowedSigners, revokedKeys

    /// The value of `isolation`.
    package static let process = "process"

    /// The keys of an entry of `modules`.
    package enum Module: String, CaseIterable, Sendable {
        case library, enabled, sha256, leastVersion, isolation, permissions, limits
        case executableStack, discardState, settings
    }

    /// The keys of `permissions`.
    package enum Permission: String, CaseIterable, Sendable {
        case read, write, connect, listen, resolve, run, environment
    }

    /// The keys of `limits`.
    package enum Limit: String, CaseIterable, Sendable {
        case call, memory, processes
    }

    /// The keys of `probation`.
    package enum Probation: String, CaseIterable, Sendable {
        case seconds, calls, errors, latency, steps, oneAtATime
    }
}

/// Takes the values out of a manifest, and collects everything that is wrong with it.
struct ManifestParser {
    /// The problems so far, sorted by their places. Of very many, the first ones and their number.
    var sortedProblems: [ManifestProblem] {
        problems.sorted { ($0.position ?? .start) < ($1.position ?? .start) }
            .abridged { ManifestProblem(.further($0)) }
    }
    private(set) var problems: [ManifestProblem] = []
    private let lines: TextLines
    private let bytes: [UInt8]
    private var fields = ManifestFields(members: [])

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
        if let schema = fields[.schema] { _ = text(schema, ManifestKey.schema.rawValue) }
        if root.members != nil, fields[.manifest] == nil { note(.missingVersion, root, "") }
    }

    mutating func directories() -> [String] {
        guard let node = fields[.directories] else { return ["Plugins"] }
        var names: [String] = []
        var texts: Set<String> = []
        var places: Set<String> = []
        for (index, element) in array(node, "directories").enumerated() {
            let keys = "directories[\(index)]"
            guard let name = text(element, keys) else { continue }
            if !texts.insert(name).inserted { note(.repeatedDirectory(name), element, keys) }
            // The schema compares texts alone, so another spelling of a directory is not a mistake. It
            // is searched once.
            if places.insert(Path.absolute(name, from: "/")).inserted { names.append(name) }
        }
        return names
    }

    mutating func compilers() -> [String] {
        guard let node = fields[.compilers] else { return [] }
        var series: [String] = []
        for (index, element) in array(node, "compilers").enumerated() {
            let keys = "compilers[\(index)]"
            guard let text = text(element, keys) else { continue }
            if !Names.isCompilerSeries(text) {
                note(.invalidCompiler(text), element, keys)
            } else if series.contains(text) {
                note(.repeatedCompiler(text), element, keys)
            }
            series.append(text)
        }
        return series
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
        if let node = fields[.library] { entry.library = text(node, keys + ".library") }
        if let node = fields[.enabled] { entry.isEnabled = bool(node, keys + ".enabled") ?? true }
        if let node = fields[.sha256] { entry.sha256 = digest(node, keys + ".sha256") }
        if let node = fields[.leastVersion] {
            entry.leastVersion = version(node, keys + ".leastVersion")
        }
        if let node = fields[.isolation] {
            entry.isIsolated = isIsolated(node, keys + ".isolation")
        }
        if let node = fields[.permissions] {
            entry.permissions = permissions(node, keys + ".permissions")
        }
        if let node = fields[.limits] { entry.limits = limits(node, keys + ".limits") }
        if let node = fields[.executableStack] {
            entry.allowsExecutableStack = bool(node, keys + ".executableStack") ?? false
        }
        if let node = fields[.discardState] {
            entry.discardsState = bool(node, keys + ".discardState") ?? false
        }
        if let node = fields[.settings] {
            entry.settings = object(node, keys + ".settings")
                .map { JSON.Member(name: $0.name, value: $0.value.value) }
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
                    BindingKey(text: member.name), to: target, position: lines.position(of: start)))
        }
        return bindings
    }

    private mutating func target(_ member: JSONMember) -> Binding.Target? {
        let node = member.value
        let keys = Self.join("bindings", member.name)
        if let members = node.members { return weights(members, node, keys).map { .weights($0) } }
        guard node.string != nil else {
            note(.wrongType(expected: .binding, found: node.kind), node, keys)
            return nil
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
    func source(_ node: JSONNode) -> String {
        switch node.content {
        case .integer, .number: String(decoding: bytes[node.range], as: UTF8.self)
        case .string(let text): text.quoted
        default: node.kind
        }
    }

    /// The name of a feature, under one of the two keys that take one.
    mutating func feature(_ key: ManifestKey) -> String? {
        fields[key].flatMap { text($0, key.rawValue) }
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
            note(.wrongType(expected: .probation, found: node.kind), node, name)
            return policy
        }
        for member in fields(of: node, as: ManifestKey.Probation.self, name).members {
            guard let key = ManifestKey.Probation(rawValue: member.name) else { continue }
            let keys = Self.join(name, member.name)
            if key == .oneAtATime {
                policy.isOneAtATime = bool(member.value, keys) ?? false
            } else if !policy.set(key, to: member.value) {
                let problem = ManifestProblem.Kind.invalidLimit(
                    expected: ProbationPolicy.words(key), found: source(member.value))
                note(problem, member.value, keys)
            }
        }
        return policy
    }

    mutating func signatures() -> SignatureRule? {
        guard let node = fields[.signatures],
            let text = string(node, ManifestKey.signatures.rawValue)
        else { return nil }
        let rule = SignatureRule(rawValue: text)
        if rule == nil { note(.unknownSignatureRule(text), node, ManifestKey.signatures.rawValue) }
        return rule
    }

    /// Returns a path as written.
    mutating func path(_ key: ManifestKey) -> String? {
        fields[key].flatMap { text($0, key.rawValue) }
    }

    private mutating func digest(_ node: JSONNode, _ keys: String) -> String? {
        guard let text = string(node, keys) else { return nil }
        guard Names.isDigest(text) else {
            note(.invalidDigest(text), node, keys)
            return nil
        }
        return text.lowercased()
    }

    private mutating func version(_ node: JSONNode, _ keys: String) -> ModuleVersion? {
        guard let text = string(node, keys) else { return nil }
        guard Names.isVersion(text) else {
            note(.invalidVersion(text), node, keys)
            return nil
        }
        return ModuleVersion(text)
    }

    mutating func note(_ kind: ManifestProblem.Kind, _ node: JSONNode, _ keys: String) {
        note(kind, at: node.range.lowerBound, keys)
    }

    mutating func note(_ kind: ManifestProblem.Kind, at offset: Int, _ keys: String) {
        problems.append(ManifestProblem(kind, at: lines.position(of: offset), keys: keys))
    }
}

/// Returns values of the right type, or collects a problem.
///
/// `keys` is always the path of keys that leads to the value.
extension ManifestParser {
    /// Returns the members of an object that may have only certain keys.
    mutating func fields<Key: RawRepresentable<String> & CaseIterable>(
        of node: JSONNode, as type: Key.Type, _ keys: String
    ) -> ManifestFields {
        let members = object(node, keys)
        let known = Key.allCases.map(\.rawValue)
        for member in members where Key(rawValue: member.name) == nil {
            note(.unknownKey(member.name, known: known), at: member.nameRange.lowerBound, keys)
        }
        return ManifestFields(members: members)
    }

    mutating func object(_ node: JSONNode, _ keys: String) -> [JSONMember] {
        right(node.members, .object, node, keys) ?? []
    }

    mutating func array(_ node: JSONNode, _ keys: String) -> [JSONNode] {
        right(node.elements, .array, node, keys) ?? []
    }

    mutating func string(_ node: JSONNode, _ keys: String) -> String? {
        right(node.string, .string, node, keys)
    }

    mutating func bool(_ node: JSONNode, _ keys: String) -> Bool? {
        right(node.bool, .bool, node, keys)
    }

    /// Returns a string that can be a name or a path.
    mutating func text(_ node: JSONNode, _ keys: String) -> String? {
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
        _ value: Value?, _ expected: ManifestProblem.Shape, _ node: JSONNode, _ keys: String
    ) -> Value? {
        if value == nil { note(.wrongType(expected: expected, found: node.kind), node, keys) }
        return value
    }
}

/// The members of an object of the manifest, by key.
///
/// Looks keys up one after the other, since they are few. A dictionary would cost each start of the
/// command more than all of the parsing: to find the conformances of its key, the runtime searches
/// all conformances of the process.
struct ManifestFields {
    let members: [JSONMember]

    /// The value of a key of the manifest, if it is there.
    subscript(key: ManifestKey) -> JSONNode? { value(of: key.rawValue) }

    /// The value of a key of an entry of `modules`, if it is there.
    subscript(key: ManifestKey.Module) -> JSONNode? { value(of: key.rawValue) }

    /// The value of a key of `permissions`, if it is there.
    subscript(key: ManifestKey.Permission) -> JSONNode? { value(of: key.rawValue) }

    /// The value of a key of `limits`, if it is there.
    subscript(key: ManifestKey.Limit) -> JSONNode? { value(of: key.rawValue) }

    private func value(of name: String) -> JSONNode? {
        members.last { $0.name == name }?.value
    }
}

extension TextPosition {
    static let start = TextPosition(line: 1, column: 1)
}
