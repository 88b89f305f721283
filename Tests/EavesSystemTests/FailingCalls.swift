// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// Returns the error number of a system call that must fail.
func errno(_ body: () throws -> Void) -> Errno? {
    do {
        try body()
        return nil
    } catch {
        return (error as? SystemError)?.errno
    }
}
