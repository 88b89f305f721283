// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// A resolution's error on its way out of this module's own functions.
///
/// The size of `ResolutionError` is known at run time alone, since the interface evolves: every
/// function that throws it directly looks its size up and makes room for it, also when all is well.
final class ResolutionFailure: Error {
    let error: ResolutionError

    init(_ error: ResolutionError) {
        self.error = error
    }

    /// Throws the error. Not inlined, so that nobody makes room for it when all is well.
    @inline(never)
    func raise() throws(ResolutionError) -> Never {
        throw error
    }
}
