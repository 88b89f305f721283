// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Something that a host has taken on while it ran: a new file of a module, another binding.
///
/// Later versions may add cases: give a `switch` over them a `default`.
public enum HostChange: Sendable {
    /// Another generation of a module serves. Calls under way go on in the old one.
    case swapped(HostGeneration, from: HostGeneration)
    /// A service comes from another module. The old one is `nil` if nobody had asked for the service yet.
    case bound(service: String, from: String?, to: String)
    /// A module was switched off, or a binding no longer leads to it. It answers nobody any more.
    case stopped(HostGeneration)
    /// A new generation was refused, with the reason in its problems, and the old one serves on.
    case refused(HostGeneration, serving: HostGeneration)
    /// A change cannot be followed, and everything it concerns stays as it was.
    case kept(HostError)
    /// No call can be under way in a generation any more.
    case retired(HostGeneration)
}
