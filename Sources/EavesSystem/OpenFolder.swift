// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An open folder, whose files are looked at by their names alone: the system walks no path again,
/// and whoever moves the folder meanwhile confuses nobody.
package struct OpenFolder: ~Copyable, Sendable {
    /// The name it was opened by, for messages.
    package let path: String
    /// The C descriptor. Valid as long as this value lives.
    package let descriptor: Int32

    package init(_ path: String) throws(SystemError) {
        let opened = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw SystemError(.list, path) }
        self.path = path
        descriptor = opened
    }

    deinit { close(descriptor) }

    package func status() throws(SystemError) -> FileStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError(.inspect, path) }
        return FileStatus(status)
    }

    /// What a file here is, through symbolic links; `nil` if that cannot be told.
    ///
    /// - Parameter name: Ends with a zero byte, and is valid during the call.
    package func status(of name: UnsafePointer<CChar>) -> FileStatus? {
        var status = stat()
        return fstatat(descriptor, name, &status, 0) == 0 ? FileStatus(status) : nil
    }

    /// What is in it, as ``Folder`` gives it.
    package func entries() throws(SystemError) -> [Folder.Entry] {
        // The stream closes its descriptor, and has a place in the folder of its own.
        let again = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard again >= 0 else { throw SystemError(.list, path) }
        guard let stream = fdopendir(again) else {
            let failure = SystemError(.list, path)
            close(again)
            throw failure
        }
        defer { closedir(stream) }
        return try Folder.entries(of: stream, path)
    }
}
