// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration

/// A module with the services that it provides and asks for. All names of services are canonical.
package struct WiredModule: Sendable {
    package let entry: CatalogEntry
    let mentions: BinaryMentions?
    let provides: [Provision]
    /// The services that its declaration requires.
    let requires: [String]
    /// The services that it does not declare to require and that its binary asks for: optional ones, and
    /// those that it asks for later.
    let asks: [String]

    var id: String { entry.id }
    var layer: Layer? { entry.declaration?.layer }
    var isInterface: Bool { layer == .interface }
    /// Whether the module takes part: it is switched on, and it is known what it declares.
    var isActive: Bool { entry.isEnabled && entry.declaration != nil }
    /// The ids of the interface modules that it names.
    var interfaces: [String] { entry.declaration?.interfaces.map(\.id) ?? [] }
    var features: [FeatureDeclaration] { entry.declaration?.features ?? [] }
    var needs: [String] { requires + asks }

    /// Whether the module's sources are here, and no file yet.
    var isUnbuilt: Bool { isActive && entry.status == nil && entry.source != nil }

    /// Whether the module's file is here and ought to tell what the module asks for, and cannot be read.
    var isUnread: Bool {
        guard isActive, !isUnbuilt, !isInterface, mentions == nil else { return false }
        // A module in another language has no symbols that speak of services.
        return entry.note.map { $0.tag.compiler != nil } ?? true
    }

    func provides(_ service: String, name: String? = nil) -> Bool {
        provides.contains { $0.service == service && $0.name == name }
    }

    /// Whether the module can answer for a binding: a named one also takes the implementation without a name.
    func answers(_ service: String, boundAs name: String?) -> Bool {
        provides(service, name: name) || provides(service)
    }

    init(
        _ entry: CatalogEntry, _ mentions: BinaryMentions?, _ names: ServiceNames,
        services: Set<String>
    ) {
        self.entry = entry
        self.mentions = mentions
        let declaration = entry.declaration
        let provides = (declaration?.provides ?? []).map { provision in
            var provision = provision
            provision.service = names.canonical(provision.service)
            return provision
        }
        let requires = (declaration?.requires ?? []).map(names.canonical)
        self.provides = provides
        self.requires = requires
        asks =
            entry.declaration?.layer == .interface
            ? []
            : services.filter { service in
                guard let mentions, !requires.contains(service) else { return false }
                let isOwn = provides.contains { $0.service == service }
                return isOwn ? mentions.calls(service) : mentions.asks(for: service)
            }.sorted()
    }
}
