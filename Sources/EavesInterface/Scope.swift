// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// How long what a factory makes is kept.
public struct Scope: Hashable, Sendable {
    /// The scope's name, for messages.
    public let name: String

    /// Made anew each time it is asked for.
    public static var transient: Scope { Scope(name: "transient") }

    /// Made once, when it is first asked for, and kept as long as its registration.
    ///
    /// However many threads ask at once, the factory runs once; a factory that throws runs again
    /// for the next who asks.
    public static var shared: Scope { Scope(name: "shared") }

    /// Made once within one resolution, for all who need it there, and not kept after it.
    ///
    /// A resolution is what happens on a thread between asking for something and getting it.
    ///
    /// Since interface 1.1.
    public static var graph: Scope { Scope(name: "graph") }

    /// Made when it is asked for and nobody keeps the one that was made last.
    ///
    /// Of use for objects. Whatever else a factory makes is made anew each time.
    ///
    /// Since interface 1.1.
    public static var weak: Scope { Scope(name: "weak") }

    /// A scope of one's own: as ``shared``, until the host resets it, such as when a session ends.
    ///
    /// Since interface 1.1.
    ///
    /// - Parameter name: Scopes of the same name are the same scope.
    public static func named(_ name: String) -> Scope {
        Scope(name: name)
    }
}
