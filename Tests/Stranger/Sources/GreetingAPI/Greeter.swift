// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Greets people.
public protocol Greeter: Sendable {
    /// Returns a greeting.
    ///
    /// - Parameter guest: The person to greet.
    func greeting(for guest: Guest) -> String
}

/// A person who is greeted.
public struct Guest: Hashable, Sendable {
    /// The person's name.
    public var name: String

    /// Names a person.
    public init(name: String) {
        self.name = name
    }
}

/// Tells the time of day, which the program provides.
public protocol DayClock: Sendable {
    /// The hour, from 0 to 23.
    var hour: Int { get }
}
