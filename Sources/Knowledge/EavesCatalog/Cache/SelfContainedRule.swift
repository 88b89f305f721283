// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesJSON

/// Which modules are self-contained: their own files, their interfaces and who owns these decide alone what a
/// list shows of them, and lists print their texts unchanged.
struct SelfContainedRule {
    private let countByID: [String: Int]
    private let sharedWords: Set<String>

    /// - Parameter declarations: Those of all modules that the cache keeps.
    init(among declarations: [ModuleDeclaration]) {
        var countByID: [String: Int] = [:]
        for declaration in declarations { countByID[declaration.id, default: 0] += 1 }
        self.countByID = countByID
        sharedWords = ServiceNames(of: declarations).sharedWords
    }

    /// - Parameter fileName: The name of the module's file.
    func holds(for declaration: ModuleDeclaration, fileName: String) -> Bool {
        guard countByID[declaration.id] == 1 else { return false }
        // Whether a core module may require a service depends on the modules that provide it.
        if declaration.layer == .core, !declaration.requires.isEmpty { return false }
        let services = declaration.provides.map { ServiceName.word($0.service) }
        let requires = declaration.requires.map(ServiceName.word)
        guard Set(services).count == services.count,
            sharedWords.isDisjoint(with: services), sharedWords.isDisjoint(with: requires)
        else { return false }
        let texts =
            [fileName, declaration.id, declaration.version] + services + requires
            + declaration.features.flatMap { [$0.name, $0.summary] }
        return texts.allSatisfy { $0.utf8.allSatisfy(\.needsNoJSONEscape) }
    }
}
