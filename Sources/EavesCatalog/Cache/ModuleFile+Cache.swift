// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What a cache keeps of a file that is a whole module. What is wrong with others is looked up anew
/// each time: they are few, and somebody is about to mend them.
extension ModuleFile {
    /// Whether a cache may keep it.
    var isWhole: Bool { machine != nil && note != nil && status != nil }

    /// Everything but ``status``.
    ///
    /// - Precondition: It ``isWhole``.
    func write(to text: inout CacheText) {
        guard let machine, let note else { preconditionFailure("only whole modules are kept") }
        text.add(machine.rawValue)
        text.add(Int64(note.tag.abi))
        text.add(UInt8(note.tag.interface == nil ? 0 : 1))
        if let interface = note.tag.interface {
            text.add(Int64(interface.major))
            text.add(Int64(interface.minor))
        }
        text.add(note.tag.compiler)
        text.add(note.tag.target)
        text.add(note.tag.inputs)
        note.declaration.write(to: &text)
    }

    /// - Parameter cursor: Stands where ``write(to:)`` began.
    init?(_ file: CachedFile, _ cursor: inout CacheCursor) {
        guard let machine = cursor.integer(as: UInt16.self), let tag = BuildTag(&cursor),
            let declaration = ModuleDeclaration(&cursor)
        else { return nil }
        self.init(
            status: file.status, machine: ELFMachine(rawValue: machine),
            note: ModuleNote(declaration: declaration, tag: tag))
    }
}

extension BuildTag {
    fileprivate init?(_ cursor: inout CacheCursor) {
        guard let abi = cursor.integer(as: Int64.self),
            let hasInterface = cursor.integer(as: UInt8.self)
        else { return nil }
        var interface: InterfaceVersion?
        if hasInterface != 0 {
            guard let major = cursor.integer(as: Int64.self),
                let minor = cursor.integer(as: Int64.self)
            else { return nil }
            interface = InterfaceVersion(major: Int(major), minor: Int(minor))
        }
        guard let compiler = cursor.optionalText(), let target = cursor.optionalText(),
            let inputs = cursor.optionalText()
        else { return nil }
        self.init(
            abi: Int(abi), interface: interface, compiler: compiler, target: target, inputs: inputs)
    }
}

extension ModuleDeclaration {
    fileprivate func write(to text: inout CacheText) {
        text.add(id)
        text.add(version)
        text.add(summary)
        text.add(layer.rawValue)
        text.add(provides) {
            $0.add($1.service)
            $0.add($1.name)
        }
        text.add(requires) { $0.add($1) }
        text.add(features) {
            $0.add($1.name)
            $0.add($1.summary)
        }
    }

    fileprivate init?(_ cursor: inout CacheCursor) {
        guard let id = cursor.text(), let version = cursor.text(), let summary = cursor.text(),
            let layer = cursor.text().flatMap(Layer.init(rawValue:)),
            let provides = cursor.list(Provision.init), let requires = cursor.list({ $0.text() }),
            let features = cursor.list(FeatureDeclaration.init)
        else { return nil }
        self.init(
            id: id, version: version, summary: summary, layer: layer, provides: provides,
            requires: requires, features: features)
    }
}

extension Provision {
    fileprivate init?(_ cursor: inout CacheCursor) {
        guard let service = cursor.text(), let name = cursor.optionalText() else { return nil }
        self.init(service: service, name: name)
    }
}

extension FeatureDeclaration {
    fileprivate init?(_ cursor: inout CacheCursor) {
        guard let name = cursor.text(), let summary = cursor.text() else { return nil }
        self.init(name: name, summary: summary)
    }
}
