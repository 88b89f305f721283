// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesDiagnostics
import EavesRegistry

/// One version of a module that a process has loaded, or has refused. After a swap, several can be alive.
public struct HostGeneration: Hashable, Sendable, Identifiable {
    /// The progress of a generation.
    public enum State: String, CaseIterable, Sendable {
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
