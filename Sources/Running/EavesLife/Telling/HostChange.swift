// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesDiagnostics
public import EavesManifest
import EavesRegistry

/// Something that a host has taken on while it ran: a new file of a module, another binding.
///
/// Later versions may add cases: give a `switch` over them a `default`.
public enum HostChange: Sendable {
    /// Another generation of a module serves. Calls under way go on in the old one.
    case swapped(HostGeneration, from: HostGeneration)
    /// A service comes from another module. The old one is `nil` if no code had asked for the service yet.
    case bound(service: String, from: String?, to: String)
    /// A module was switched off, or a binding no longer leads to it. No request leads to it any more.
    case stopped(HostGeneration)
    /// A new generation was refused, with the reason in its problems, and the old one serves on.
    case refused(HostGeneration, serving: HostGeneration)
    /// A change cannot be followed, and everything it concerns stays as it was.
    case kept(HostError)
    /// A generation has drained: no resolution, loan or factory is under way in it. Code that keeps one of its services
    /// may still call it.
    case retired(HostGeneration)
    /// A generation serves no longer, and has not drained in time: a factory or a loan is still under way in it. The
    /// error says what is known of them. Told once; nothing is ended.
    case lingering(HostGeneration, HostError)
    /// Something was written to an old object after its state had gone to the new one, and it cannot be carried over.
    case stateLost(HostError)
    /// Modules share a service from now on, each call drawing one of them: a canary. The first one is the stable one;
    /// if it is alone, it has all calls again.
    case shared(service: String, shares: [BindingShare])
    /// Something that was swapped has proved to be bad on probation, and what served before serves again.
    case rolledBack(Retreat)
    /// Something that was swapped has passed its probation.
    case proven(module: String, service: String?)
}

extension HostChange {
    /// Whether something else serves from now on.
    package var isSwitch: Bool {
        switch self {
        case .swapped, .bound, .stopped: true
        case .refused, .kept, .retired, .lingering, .stateLost, .shared, .rolledBack, .proven: false
        }
    }

    /// A swap that a host took back by itself.
    public struct Retreat: Hashable, Sendable {
        /// The id of the module that was bad.
        public let module: String
        /// The service that was bound to it; `nil` if it was a new file of the module.
        public let service: String?
        /// The id of the module that provides the service again; `nil` if an earlier file of the same module does.
        public let to: String?
        /// The reasons, such as `3 of 10 calls failed`.
        public let reasons: [String]
        /// Whether the file is kept out from now on, also by other hosts of the same manifest.
        public let isQuarantined: Bool
        /// The problems of taking it back, such as a manifest that cannot be written: then only this host goes back.
        public let problems: [Diagnostic]

        package init(
            module: String, service: String?, to: String?, reasons: [String], isQuarantined: Bool,
            problems: [Diagnostic]
        ) {
            self.module = module
            self.service = service
            self.to = to
            self.reasons = reasons
            self.isQuarantined = isQuarantined
            self.problems = problems
        }
    }
}

/// One version of a module that a process has loaded, or has refused. After a swap, several can be alive.
public struct HostGeneration: Hashable, Codable, Sendable, Identifiable {
    /// The progress of a generation.
    public enum State: String, CaseIterable, Codable, Sendable {
        /// Its services are given to all callers.
        case serving
        /// Another generation serves; calls that were under way go on in this one.
        case draining
        /// The host has released it. Objects of it may still be kept by others.
        case retired
        /// It never served: its file broke a rule, or it did not load or register.
        case refused
    }

    /// The number. No other generation of the same store ever has it, whichever process loads it.
    public let id: Int
    /// The module's id.
    public let module: String
    /// The version that the module declares; `nil` if it cannot be read.
    public let version: String?
    /// How far it has come.
    public let state: State
    /// The reasons why it was refused; empty in other states.
    public let problems: [Diagnostic]
    /// The number of its objects that live on although it no longer serves, as far as a scope of the host kept them.
    public let instances: Int
}

extension HostGeneration {
    package init(_ record: GenerationBook.Record) {
        id = record.number
        module = record.module
        version = record.version
        state = State(record.state)
        problems = record.refusal
        instances = record.left?.living ?? 0
    }
}

extension HostGeneration.State {
    /// A generation on its way counts as refused: the host shows it when it serves.
    fileprivate init(_ state: GenerationState) {
        switch state {
        case .serving: self = .serving
        case .draining: self = .draining
        case .retired: self = .retired
        case .found, .checked, .loaded, .registered, .selfChecked, .refused: self = .refused
        }
    }
}
