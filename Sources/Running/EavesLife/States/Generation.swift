// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The life of one generation of a module, from the file that was found to the code that is not used any
/// more. A pure state machine: it decides which state may follow which, and does nothing else.
///
///     found → checked → loaded → registered → selfChecked → serving → draining → retired
///        └────────┴────────┴─────────┴─────────────┴→ refused
///
/// A generation without a life cycle goes from registered to serving.
package enum GenerationState: String, CaseIterable, Sendable {
    /// The file was found, and is not what the host has loaded.
    case found
    /// A private copy of it keeps every rule.
    case checked
    /// Its code is part of the process.
    case loaded
    /// It has registered what it declares, and no caller reaches it yet.
    case registered
    /// It has taken on the state of the generation that serves, has started, and is healthy.
    case selfChecked
    /// Callers get its services.
    case serving
    /// Another generation serves; calls that were under way go on in this one.
    case draining
    /// The container has released it. Objects of it may still be kept by others.
    case retired
    /// A step failed, and it never served.
    case refused

    /// Whether a generation in this state may still serve, or be refused.
    package var isOnItsWay: Bool {
        switch self {
        case .found, .checked, .loaded, .registered, .selfChecked: true
        case .serving, .draining, .retired, .refused: false
        }
    }

    /// Whether a generation in this state may come into another one next.
    func mayPrecede(_ next: GenerationState) -> Bool {
        switch (self, next) {
        case (.found, .checked), (.checked, .loaded), (.loaded, .registered),
            (.registered, .selfChecked), (.registered, .serving), (.selfChecked, .serving),
            (.serving, .draining), (.draining, .retired):
            true
        case (.found, .refused), (.checked, .refused), (.loaded, .refused),
            (.registered, .refused), (.selfChecked, .refused):
            true
        default:
            false
        }
    }
}
