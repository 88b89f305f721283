// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Takes the events of the login. The login owns this protocol, and does not know its implementations.
public protocol LoginEventHandler: Sendable {
    /// Takes an event.
    func handle(_ event: LoginEvent) async
}

/// Something that happened when a person logged in.
public enum LoginEvent: Hashable, Sendable {
    /// The user with this name has logged in.
    case succeeded(name: String)
    /// The name or the password was wrong.
    case refused(name: String)
}
