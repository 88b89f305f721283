// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

extension Launch {
    /// What the fixture's copy of the interface has beyond this host's.
    public func greeting(for name: String) -> String { "Hello, \(name)!" }

    /// The second thing: all are named, not only the first.
    public func shout() -> String { arguments.joined().uppercased() }
}
