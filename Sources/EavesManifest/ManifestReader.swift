// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesJSON
internal import EavesSystem

/// Takes a parsed manifest apart and notes everything that is wrong with it.
struct ManifestReader {
    /// Sorted by their place.
    var allProblems: [ManifestProblem] {
        problems.sorted { ($0.position ?? .start) < ($1.position ?? .start) }
    }
    private(set) var problems: [ManifestProblem] = []
    private let lines: TextLines
    private var fields = ManifestFields(members: [])

    init(_ root: JSONNode, in bytes: [UInt8]) {
        lines = TextLines(bytes)
        // The keys of another version are not ours to judge.
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
        var seen: Set<String> = []
        for (index, element) in array(node, "directories").enumerated() {
            let keys = "directories[\(index)]"
            guard let name = text(element, keys) else { continue }
            if !seen.insert(Path.absolute(name, from: "/")).inserted {
                note(.repeatedDirectory(name), element, keys)
            }
            names.append(name)
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
        if let node = fields[.isolation] { entry.isolation = isolation(node, keys + ".isolation") }
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
            if !Names.isServiceName(member.name) {
                note(.invalidServiceName(member.name), at: start, "bindings")
            }
            let keys = Self.join("bindings", member.name)
            guard let module = text(member.value, keys) else { continue }
            if !Names.isModuleID(module) { note(.invalidModuleID(module), member.value, keys) }
            let position = lines.position(of: start)
            bindings.append(Binding(service: member.name, module: module, position: position))
        }
        return bindings
    }

    mutating func launch() -> String? {
        fields[.launch].flatMap { text($0, "launch") }
    }

    mutating func signatures() -> SignatureRule? {
        guard let node = fields[.signatures],
            let text = string(node, ManifestKey.signatures.rawValue)
        else { return nil }
        let rule = SignatureRule(rawValue: text)
        if rule == nil { note(.unknownSignatureRule(text), node, ManifestKey.signatures.rawValue) }
        return rule
    }

    mutating func allowedSigners() -> String {
        fields[.allowedSigners].flatMap { text($0, ManifestKey.allowedSigners.rawValue) }
            ?? "allowed_signers"
    }

    private mutating func digest(_ node: JSONNode, _ keys: String) -> String? {
        guard let text = string(node, keys) else { return nil }
        guard Names.isDigest(text) else {
            note(.invalidDigest(text), node, keys)
            return nil
        }
        return text.lowercased()
    }

    private mutating func isolation(_ node: JSONNode, _ keys: String) -> Isolation? {
        guard let text = string(node, keys) else { return nil }
        let isolation = Isolation(rawValue: text)
        if isolation == nil { note(.unknownIsolation(text), node, keys) }
        return isolation
    }

    mutating func note(_ kind: ManifestProblem.Kind, _ node: JSONNode, _ keys: String) {
        note(kind, at: node.range.lowerBound, keys)
    }

    mutating func note(_ kind: ManifestProblem.Kind, at offset: Int, _ keys: String) {
        problems.append(ManifestProblem(kind, at: lines.position(of: offset), keys: keys))
    }
}

extension TextPosition {
    fileprivate static let start = TextPosition(line: 1, column: 1)
}
