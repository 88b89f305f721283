// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What a registration has whose service `resolve` cannot make: a factory that is awaited, or one
/// that runs on the main actor.
///
/// Such a registration is a ``Factory`` as any other, so that keys, tables, dumps and whatever takes
/// registrations back need not know; but the factory that `resolve` calls says what to do instead.
protocol Awaited: AnyObject, Sendable {
    /// Whether the instance of a scope that keeps one is there.
    var isMade: Bool { get }

    /// The same as it was before anything was made.
    func renewed() -> any Awaited
}
