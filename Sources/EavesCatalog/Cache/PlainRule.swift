// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON

/// Which modules are plain: no other module has a say in what becomes of them, and their texts are
/// printed as they stand.
struct PlainRule {
    private let countByID: [String: Int]

    /// - Parameter files: All that a cache is made of.
    init(among files: [ModuleFile?]) {
        var countByID: [String: Int] = [:]
        for file in files {
            if let id = file?.note?.declaration.id { countByID[id, default: 0] += 1 }
        }
        self.countByID = countByID
    }

    /// - Parameter name: That of the file.
    func holds(for file: ModuleFile, _ name: String) -> Bool {
        guard let declaration = file.note?.declaration, countByID[declaration.id] == 1 else {
            return false
        }
        // Whether a core module may need a service depends on who provides it.
        if declaration.layer == .core, !declaration.requires.isEmpty { return false }
        let services = declaration.provides.map(\.service)
        guard Set(services).count == services.count else { return false }
        let texts = [name, declaration.id, declaration.version] + services + declaration.requires
        return texts.allSatisfy(Self.isPlain)
            && declaration.features.allSatisfy { Self.isPlain($0.name) && Self.isPlain($0.summary) }
    }

    /// ASCII of which JSON escapes nothing.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy(\.needsNoJSONEscape)
    }
}
