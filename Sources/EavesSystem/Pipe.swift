// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The two ends of a pipe. Whoever makes one closes both.
package struct Pipe {
    package var readEnd: Int32
    package var writeEnd: Int32

    /// Fails with the C library's error number set.
    ///
    /// Swift does not see `pipe2`: a child started on another thread between the two calls inherits
    /// the ends, so ``ChildProcess`` makes its pipes and its children under one lock.
    package init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    /// Closes both.
    package func close() {
        Glibc.close(readEnd)
        Glibc.close(writeEnd)
    }
}
