// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesManifest
package import EavesRegistry

/// The life of one service, or of one feature, in a live host.
package struct ServiceLife: Sendable {
    package internal(set) var state = State.settled
    package internal(set) var shared: Shared?
    /// The host has told why it does not take on what the disk wants.
    package internal(set) var told: Obstacle?
    /// A binding was taken back although the manifest cannot be written: what it demands stays out.
    package internal(set) var ruling: Ruling?

    package indirect enum State: Sendable {
        /// It comes from where the manifest says, or from where it has always come.
        case settled
        /// It is bound to another module, which is judged.
        case judged(TrialCase)
        /// A binding was taken back, and the service comes from the second module again with the next switch. The host does
        /// not judge it for that.
        case goingBack(from: String, to: String)
    }

    /// The modules that share its calls.
    package struct Shared: Sendable {
        package internal(set) var shares: CallShares
        /// Those of them that are judged.
        package internal(set) var canaries: [TrialCase]
        /// They share it from this look on: the service's word, until that is told.
        var newWord: String?
    }

    /// The module that provides a service in spite of the manifest's binding.
    package struct Ruling: Sendable {
        package let key: BindingKey
        package let bound: Binding.Target?
        package let module: String
    }
}

extension ServiceLife {
    package var trial: TrialCase? { if case .judged(let trial) = state { trial } else { nil } }
    package var shares: CallShares? { shared?.shares }
    package var canaries: [TrialCase] { shared?.canaries ?? [] }

    /// The module from which it comes again with the next switch.
    var retreat: String? { if case .goingBack(_, let module) = state { module } else { nil } }

    var isSettled: Bool { if case .settled = state { true } else { false } }
    var isEmpty: Bool { isSettled && shared == nil && told == nil && ruling == nil }
}
