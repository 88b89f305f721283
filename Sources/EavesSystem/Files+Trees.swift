// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

extension Files {
    /// Creates one folder; it must not exist, and the one above it must.
    package static func createNewFolder(_ path: String, mode: UInt32) throws(SystemError) {
        guard mkdir(path, mode) == 0 else { throw SystemError(.create, path) }
    }

    /// Removes a folder with all that is in it, or a file; one that is not there is no error. A
    /// symbolic link is removed, not followed.
    package static func removeTree(_ path: String) throws(SystemError) {
        if unlink(path) == 0 || errno == ENOENT { return }
        guard errno == EISDIR || errno == EPERM else { throw SystemError(.remove, path) }
        for entry in try Folder(path).entries { try removeTree(Path.join(path, entry.name)) }
        guard rmdir(path) == 0 || errno == ENOENT else { throw SystemError(.remove, path) }
    }
}
