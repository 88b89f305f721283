// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesRegistry

/// A service of a ``TestContainer`` that a test replaced.
///
/// The replacement lasts as long as its container, unless the test undoes it:
///
/// ```swift
/// let offline = container.replace((any Weather).self) { _ in NoWeather() }
/// #expect(try await container.launch("weather").exitCode == .failure)
/// offline.undo()
/// ```
///
/// Safe from any thread.
public struct Replacement: Sendable {
    private let overriding: Overriding
    private let container: Container

    init(_ overriding: Overriding, in container: Container) {
        self.overriding = overriding
        self.container = container
    }

    /// Puts back what was there before: what a module registered, with the instances that existed, or an
    /// earlier replacement. If nothing was there, a module that provides the service is loaded again when
    /// the service is asked for.
    ///
    /// Replacements can be undone in any order. Undoing one twice has no effect.
    public func undo() {
        container.undo(overriding)
    }
}
