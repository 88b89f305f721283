// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A change of a manifest that can be undone.
package enum ManifestChange: Hashable, Sendable {
    case swap(Swap)
    case removal(Removal)
}

/// A change of the module that a service is bound to.
package struct Swap: Hashable, Sendable {
    package let service: String
    /// The module before; `nil` if the manifest had no binding for the service.
    package let from: String?
    /// The module after.
    package let to: String

    package init(service: String, from: String?, to: String) {
        self.service = service
        self.from = from
        self.to = to
    }
}

/// The parts of a manifest that were removed together with a module.
package struct Removal: Hashable, Sendable {
    package let module: String
    /// The text of its entry, settings included; `nil` if it had none.
    package let entry: String?
    /// The services that were bound to it.
    package let services: [String]

    package init(module: String, entry: String?, services: [String]) {
        self.module = module
        self.entry = entry
        self.services = services
    }
}

/// The result of undoing a change.
package struct Undo: Hashable, Sendable {
    package let change: ManifestChange
    /// Whether the manifest was as before the change already, so that only the history changed.
    package let wasUndone: Bool
}

/// The first place of a manifest that a change left in another state.
package enum HistoryDifference: Hashable, Sendable {
    /// The module that was removed has an entry.
    case entry
    /// The service is bound to this module, or to none.
    case binding(String, String?)
}
