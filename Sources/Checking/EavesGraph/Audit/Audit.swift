// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesManifest
import EavesSystem

/// Everything that is dead in an application. It would rather overlook something than call dead what is
/// alive: whatever the binaries may ask for counts as needed.
package struct Audit: Sendable {
    /// Sorted by kind, then by place.
    package let findings: [AuditFinding]
    /// Other implementations of services that are needed, which are not chosen at present. They are not
    /// dead: the manifest can choose them.
    package let alternatives: [String]
    /// The modules whose files cannot be read, so that the audit cannot know what they ask for. It judges neither
    /// services nor modules nor routes then.
    package let unreadModules: [String]
    /// The modules that are not built. All that they may ask for counts as needed: their `requires`, and what
    /// the interfaces declare that they name.
    package let unbuiltModules: [String]

    package init(_ wiring: Wiring) {
        let unread = wiring.unreadModules
        let reach = Reach(wiring)
        var findings =
            wiring.deadNeeds + wiring.deadBindings + wiring.deadEntries + wiring.unnamedInterfaces
        if unread.isEmpty { findings += wiring.unopenedRoutes(reach) }
        // Without a feature, a program that is not known here asks for the services.
        let hasFeatures = wiring.activeModules.contains { !$0.features.isEmpty }
        var alternatives: [String] = []
        if unread.isEmpty, hasFeatures {
            let dead = wiring.deadImplementations(reach)
            findings += dead.findings
            alternatives = dead.alternatives
        }
        let order = Dictionary(
            uniqueKeysWithValues: AuditFinding.Kind.allCases.enumerated().map { ($1, $0) })
        self.findings = findings.sorted {
            (order[$0.kind] ?? 0, $0.place, $0.message)
                < (order[$1.kind] ?? 0, $1.place, $1.message)
        }
        self.alternatives = alternatives.sorted()
        unreadModules = unread
        unbuiltModules = wiring.unbuiltModules
    }
}

extension Wiring {
    /// The place of a module for messages: its `module.json` if its sources are here, or else its file.
    func place(of module: WiredModule, _ key: String = "") -> String {
        let file =
            module.entry.source.map {
                manifest.shown(Path.join($0, ModuleDeclaration.fileName))
            } ?? module.entry.path
        return key.isEmpty ? file : "\(file): \(key)"
    }
}
