// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import CSystem
import Glibc

/// An open file that is closed when its owner goes.
package struct OpenFile: ~Copyable, Sendable {
    /// The name it was opened by, for messages.
    package let path: String
    /// The C descriptor. Valid as long as this value lives.
    package let descriptor: Int32

    /// Opens a file for reading. Never waits: a pipe without a writer opens at once, so that the
    /// caller can look at ``status()`` and turn away from it.
    package init(reading path: String) throws(SystemError) {
        try self.init(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, .open)
    }

    /// Opens a file of a folder for reading, just as `init(reading:)` does.
    ///
    /// - Parameter path: The file's whole path, for messages.
    package init(
        reading name: String, in folder: borrowing OpenFolder, path: String
    ) throws(SystemError) {
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let opened = name.withCString { openat(folder.descriptor, $0, flags) }
        guard opened >= 0 else { throw SystemError(.open, path) }
        self.path = path
        descriptor = opened
    }

    /// Creates a file for writing; it must not exist.
    package init(creating path: String, mode: UInt32) throws(SystemError) {
        try self.init(path, O_WRONLY | O_CREAT | O_EXCL, .create, mode: mode)
    }

    private init(
        _ path: String, _ flags: Int32, _ action: SystemError.Action, mode: UInt32 = 0
    ) throws(SystemError) {
        let opened = path.withCString { open($0, flags | O_CLOEXEC, mode) }
        guard opened >= 0 else { throw SystemError(action, path) }
        self.path = path
        descriptor = opened
    }

    deinit { close(descriptor) }

    package func status() throws(SystemError) -> FileStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError(.inspect, path) }
        return FileStatus(status)
    }

    /// Up to `count` bytes from `offset` on; fewer only at the end of the file.
    package func bytes(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            Self.populate(buffer)
            while filled < count {
                let got = pread(
                    descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset + filled)
                )
                if got > 0 {
                    filled += got
                } else if got == 0 {
                    break
                } else if errno != EINTR {
                    failure = SystemError(.read, path)
                    break
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Has the system give the memory of a large buffer at once: page by page, as it is touched, that
    /// takes longer than to read a file into it.
    private static func populate(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        // What is smaller comes from memory that was used before.
        guard let start = buffer.baseAddress, buffer.count >= 128 << 10 else { return }
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        // Whole pages only: what else is on the first and the last one is there already.
        let skipped = (page - Int(bitPattern: start) % page) % page
        // MADV_POPULATE_WRITE. A system that does not know it gives the pages one by one.
        _ = madvise(start + skipped, (buffer.count - skipped) / page * page, 23)
    }

    /// Writes all of `bytes` at the current place.
    package func write(_ bytes: some Collection<UInt8>) throws(SystemError) {
        let written = bytes.withContiguousStorageIfAvailable { Self.write($0, to: descriptor) }
        let done =
            written ?? Array(bytes).withUnsafeBufferPointer { Self.write($0, to: descriptor) }
        guard done else { throw SystemError(.write, path) }
    }

    /// Waits until what was written is on the disk.
    package func synchronize() throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw SystemError(.write, path) }
    }

    /// Writes all of `bytes` to a descriptor; `false` with `errno` set when that fails.
    package static func write(_ bytes: UnsafeBufferPointer<UInt8>, to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(
                descriptor, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}

/// An advisory lock on a file or a folder. Its owner holds it as long as the value lives, and the
/// system releases it however the process ends.
package struct FileLock: ~Copyable, Sendable {
    private let file: OpenFile

    /// Waits until no other holder has the lock.
    package init(_ path: String) throws(SystemError) {
        let opened = try OpenFile(reading: path)
        while flock(opened.descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw SystemError(.lock, path) }
        }
        file = opened
    }

    /// Returns `nil` if another holder has the lock.
    package init?(ifFree path: String) throws(SystemError) {
        let opened = try OpenFile(reading: path)
        guard flock(opened.descriptor, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw SystemError(.lock, path) }
            return nil
        }
        file = opened
    }

    /// Runs `body` while the lock is held. Without it, Swift may release a value, and its lock,
    /// right after the last use.
    package borrowing func hold<Result: ~Copyable, Failure: Error>(
        during body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body()
    }
}

/// Creates files that exist in memory only.
package enum MemoryFile {
    /// Opens a new file for reading and writing. Its caller closes it; no child process inherits it.
    ///
    /// - Parameter name: The name that debuggers show.
    /// - Returns: The descriptor, or -1 with `errno` set.
    package static func open(_ name: String) -> Int32 {
        memfd_create(name, UInt32(MFD_CLOEXEC))
    }
}
