// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A ``ResolutionError`` on its way to who asked.
///
/// The size of a ``ResolutionError`` is known at run time alone, since the interface evolves. Who
/// calls what throws one makes room for it each time, also when all is well; a reference needs none.
///
/// Since interface 1.1.
public final class ResolutionFailure: Error {
    /// What is the matter.
    public let error: ResolutionError

    /// Takes an error along.
    public init(_ error: ResolutionError) {
        self.error = error
    }
}
