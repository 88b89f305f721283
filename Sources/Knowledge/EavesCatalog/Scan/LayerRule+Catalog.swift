// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration

extension LayerRule {
    /// - Parameter entries: All modules.
    package init(among entries: [CatalogEntry]) {
        self.init()
        for entry in entries where entry.isEnabled && entry.isUsed {
            if let declaration = entry.declaration { add(declaration, id: entry.id) }
        }
    }

    /// Returns the same modules. Each one whose declaration breaks the rule gets the problem `layer`.
    ///
    /// - Parameters:
    ///   - isOwn: Whether a service is a protocol of an interface that a module owns.
    ///   - providers: All modules that provide one of the services; there may be more.
    static func applied(
        to entries: [CatalogEntry], unless isOwn: (String, ModuleDeclaration) -> Bool,
        among providers: (Set<String>) -> [CatalogEntry]
    ) -> [CatalogEntry] {
        // Most modules are not core modules with needs: then there is nothing to look up.
        let suspects = entries.indices.filter {
            guard let declaration = entries[$0].declaration else { return false }
            return entries[$0].state == .ready && declaration.layer == .core
                && !declaration.requires.isEmpty
        }
        guard !suspects.isEmpty else { return entries }
        let services = Set(suspects.flatMap { entries[$0].declaration?.requires ?? [] })
        let rule = LayerRule(among: providers(services))
        var entries = entries
        for index in suspects {
            guard let declaration = entries[index].declaration else { continue }
            let needs = rule.upwardNeeds(of: declaration, using: declaration.requires) {
                isOwn($0, declaration)
            }
            if !needs.isEmpty { entries[index].problem = .layer(needs) }
        }
        return entries
    }
}
