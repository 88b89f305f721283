// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What a cache keeps of a file that is a whole module. What is wrong with others is looked up anew
/// each time: they are few, and somebody is about to mend them.
extension ModuleFile {
    /// Whether a cache may keep it.
    var isWhole: Bool { machine != nil && note != nil && status != nil }

    /// What it is built for; `nil` if it is not whole.
    var build: CachedBuild? {
        guard let machine, let note else { return nil }
        return CachedBuild(machine: machine, tag: note.tag)
    }

    /// Everything but ``status``.
    ///
    /// - Parameter build: Where ``build`` stands.
    /// - Precondition: It ``isWhole``.
    func write(to text: inout CacheText, build: Int) {
        guard let note else { preconditionFailure("only whole modules are kept") }
        text.add(UInt32(build))
        note.declaration.write(to: &text)
        text.add(note.tag.inputs)
    }

    /// - Parameter cursor: Stands where ``write(to:build:)`` began.
    init?(_ file: CachedFile, _ cursor: inout CacheCursor) {
        guard let place = cursor.integer(as: UInt32.self),
            let declaration = ModuleDeclaration(&cursor), let inputs = cursor.optionalText()
        else { return nil }
        cursor.offset = Int(place)
        guard let build = CachedBuild(&cursor) else { return nil }
        var tag = build.tag
        tag.inputs = inputs
        self.init(
            status: file.status, machine: build.machine,
            note: ModuleNote(declaration: declaration, tag: tag))
    }
}

extension ModuleDeclaration {
    fileprivate func write(to text: inout CacheText) {
        text.add(id)
        text.add(version)
        text.add(provides) {
            $0.add($1.service)
            $0.add($1.name)
        }
        text.add(requires) { $0.add($1) }
        text.add(features) {
            $0.add($1.name)
            $0.add($1.summary)
        }
        text.add(summary)
        text.add(layer.rawValue)
    }

    fileprivate init?(_ cursor: inout CacheCursor) {
        guard let id = cursor.text(), let version = cursor.text(),
            let provides = cursor.list(Provision.init), let requires = cursor.list({ $0.text() }),
            let features = cursor.list(FeatureDeclaration.init), let summary = cursor.text(),
            let layer = cursor.text().flatMap(Layer.init(rawValue:))
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
