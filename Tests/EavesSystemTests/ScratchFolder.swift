// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// A folder for one test, which is removed when the test lets it go.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        path = Path.join("/tmp", "eaves-system-\(UInt64.random(in: 0 ... .max))")
        try Files.createNewFolder(path, mode: 0o755)
    }

    deinit { try? Files.removeTree(path) }

    func callAsFunction(_ name: String) -> String { Path.join(path, name) }
}

/// Returns the error number of a system call that must fail.
func errno(_ body: () throws -> Void) -> Errno? {
    do {
        try body()
        return nil
    } catch {
        return (error as? SystemError)?.errno
    }
}
