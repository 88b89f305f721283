// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics

/// The reason why an exchange would lose the state that a module keeps.
package enum HandoverError: Error, Hashable, Sendable {
    /// The new module, or the new file, takes on no state.
    case keepsNone(of: String)
    /// The old one gives no snapshot.
    case noSnapshot(LifecycleError)
    /// The new one does not restore the snapshot of the old one.
    case notRestored(LifecycleError)
    /// The old one could not go on with the state that the new one has, for this reason.
    case noWayBack(LifecycleError)
    /// The old one would have another state on the way back.
    case changedOnTheWayBack
    /// The new one has a state of its own already: it serves others.
    case inUse(String)
    /// Calls of the old one went on for longer than this while those that begin waited. It is tried again.
    case callsGoOn(of: String, Duration)
    /// The state did not go over within this time, while calls that begin waited. It is tried again.
    case stateTakesLong(of: String, Duration)
    /// Several modules would hand over their states to one.
    case several([String])
}

extension HandoverError {
    /// Whether a function of a life cycle has not returned in time.
    package var isLate: Bool {
        switch self {
        case .noSnapshot(let error), .notRestored(let error):
            switch error {
            case .hangs, .stillHangs: true
            default: false
            }
        default: false
        }
    }

    /// Whether the exchange is tried again by itself.
    var isPutOff: Bool {
        switch self {
        case .callsGoOn, .stateTakesLong: true
        default: false
        }
    }
}

extension HandoverError: Diagnosable {
    package var diagnostic: Diagnostic { Diagnostic(words, fix: fix, code: .configuration) }

    private var fix: String {
        switch self {
        case .callsGoOn:
            return "let its calls be shorter, or allow more time with LivePolicy(gateLimit:)"
        case .stateTakesLong:
            return "let its snapshots be faster, or allow more time with LivePolicy(gateLimit:)"
        default: break
        }
        return "let it take on the state, or give it up with 'eaves swap --discard-state', "
            + "which sets \"discardState\" in the module's entry of the manifest"
    }

    private var words: String {
        let reason: String
        switch self {
        case .callsGoOn(let module, let limit):
            return "is put off: calls of '\(module)', which keeps state, did not end within "
                + "\(limit); the old code serves on, and it is tried again, after 1, 2, … 60 seconds"
        case .stateTakesLong(let module, let limit):
            return
                "is put off: the state of '\(module)' did not go over within \(limit), while calls "
                + "waited; the old code serves on, and it is tried again, after 1, 2, … 60 seconds"
        case .keepsNone(let module):
            reason = "'\(module)' keeps state, and the new code takes on none"
        case .noSnapshot(let error):
            reason = "the old code gives no snapshot: \(error.words)"
        case .notRestored(let error):
            reason = "the new code cannot read the snapshot of the old code: \(error.words)"
        case .noWayBack(let error):
            reason =
                "the old code cannot read a snapshot of the new code, so a rollback would lose what "
                + "was written since: \(error.words)"
        case .changedOnTheWayBack:
            reason = "after a rollback, the old code would have another state than now"
        case .inUse(let module):
            reason = "'\(module)' has a state of its own, which others use"
        case .several(let modules):
            reason =
                "\(modules.joined(separator: " and ")) keep state, and one module cannot take on "
                + "both"
        }
        return "would lose state: \(reason)"
    }
}
