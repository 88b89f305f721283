// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An advisory lock on a file or a folder, held until its owner goes, however the process ends.
package struct FileLock: ~Copyable, Sendable {
    private let file: OpenFile

    /// Waits for whoever else holds it.
    package init(_ path: String) throws(SystemError) {
        let opened = try OpenFile(reading: path)
        while flock(opened.descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw SystemError(.lock, path) }
        }
        file = opened
    }

    /// Gives `nil` when somebody else holds it.
    package init?(ifFree path: String) throws(SystemError) {
        let opened = try OpenFile(reading: path)
        guard flock(opened.descriptor, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw SystemError(.lock, path) }
            return nil
        }
        file = opened
    }

    /// Does `body` while the lock is surely held: a value that is not used any more may be gone.
    package borrowing func hold<Result: ~Copyable, Failure: Error>(
        during body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body()
    }
}
