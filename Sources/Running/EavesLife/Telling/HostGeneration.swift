// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesInterface
import EavesRegistry

/// One version of a module that a process has loaded, or has refused. After a swap, several can be alive.
public struct HostGeneration: Hashable, Sendable, Identifiable {
    /// Says how far a generation has come.
    public enum State: String, CaseIterable, Sendable {
        /// Whoever asks gets its services.
        case serving
        /// Another generation serves; calls that were under way go on in this one.
        case draining
        /// The host has released it. Objects of it may still be kept by others.
        case retired
        /// It never served: its file broke a rule, or it did not load or register.
        case refused
    }

    /// An object of a generation that no longer serves.
    public struct Instance: Hashable, Sendable {
        /// The service, such as `UserService`.
        public let service: String
        /// File and line of the registration that created it.
        public let place: String
        /// The code that asked for it, and so may keep it: services with module, file and line of their
        /// registrations, such as `LoginFactory (login, Login/LoginModule.swift:8)`, or
        /// `outside of a factory`.
        public let askers: [String]
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
    public let problems: [HostError.Problem]
    /// The objects of it that live on although it no longer serves, as far as a scope of the host kept them.
    public let instances: [Instance]
}

extension HostGeneration {
    package init(_ record: GenerationBook.Record) {
        id = record.number
        module = record.module
        version = record.version
        state = State(record.state)
        problems = record.refusal.map { HostError.Problem($0) }
        instances = (record.left?.living ?? []).map(Instance.init)
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

extension HostGeneration.Instance {
    fileprivate init(_ instance: RetiredInstance) {
        service = instance.request.description
        place = instance.place.description
        askers = instance.askers.map(\.description)
    }
}
