// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import CEavesSystem
internal import EavesDiagnostics
import Glibc

/// An advisory lock on a file or a folder. Its owner holds it as long as the value lives, and the
/// system releases it however the process ends.
///
/// A user who can open a file can lock it. So locks are on files and folders that no other user can open, and where
/// that cannot be, waiting has a limit.
package struct FileLock: ~Copyable, Sendable {
    private let file: OpenFile

    /// How long to wait for another process of this user. They keep locks for milliseconds, on a machine that has
    /// other things to do for longer.
    package static let patience = Duration.seconds(60)

    /// Waits for the lock of an open folder, but not for ever.
    ///
    /// - Throws: Also if another holder keeps the lock all the time. The error names the holder.
    package init(
        _ folder: borrowing OpenFolder, within limit: Duration = patience
    ) throws(SystemError) {
        // A lock belongs to what was opened once, so the folder is opened once more.
        let opened = try OpenFile(reading: ".", in: folder, path: folder.path)
        guard try Self.take(opened, within: limit) else {
            throw SystemError(.lock, folder.path, .tryAgain, heldBy: LockHolder(of: folder.ownPath))
        }
        file = opened
    }

    /// Waits for the lock, but not for ever. Returns `nil` if another holder keeps it all the time.
    package init?(_ path: String, within limit: Duration) throws(SystemError) {
        let opened = try OpenFile(reading: path)
        guard try Self.take(opened, within: limit) else { return nil }
        file = opened
    }

    /// Returns `false` if another holder has the lock all the time.
    private static func take(
        _ file: borrowing OpenFile, within limit: Duration
    ) throws(SystemError) -> Bool {
        let end = ContinuousClock.now + limit
        // The system can wait for ever or not at all, so this asks again and again.
        var pause: UInt32 = 1000
        while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK else { throw SystemError(.lock, file.path) }
            guard ContinuousClock.now < end else { return false }
            // Different pauses keep two waiting processes from asking in step.
            usleep(UInt32.random(in: pause / 2...pause))
            pause = min(pause * 2, 32_000)
        }
        return true
    }

    /// Runs `body` while the lock is held. Without it, Swift may release a value, and its lock,
    /// right after the last use.
    package borrowing func hold<Result: ~Copyable, Failure: Error>(
        during body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body()
    }
}

// Locks that last as long as the open file, for those who use it.
extension OpenFile {
    /// Takes a lock that others can have as well, and that keeps ``lockAlone()`` from succeeding elsewhere.
    /// Does not wait.
    ///
    /// - Returns: Whether the file is locked now. It is not where another holder has it alone, or the file
    ///   system has no locks.
    @discardableResult
    package borrowing func lockShared() -> Bool { flock(descriptor, LOCK_SH | LOCK_NB) == 0 }

    /// Takes the exclusive lock, also in exchange for a shared one. Does not wait.
    ///
    /// - Returns: Whether no other process had a lock.
    package borrowing func lockAlone() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
}

extension FileLock {
    /// Runs `body` while the lock of a folder is held. Where the file system cannot lock a folder, as
    /// some network file systems cannot, it runs `body` without a lock.
    ///
    /// - Parameter taken: The error to throw if another holder keeps the lock all the time.
    package static func holding<Result>(
        _ folder: String, within limit: Duration, orThrow taken: () -> any Error,
        _ body: () throws -> Result
    ) throws -> Result {
        let lock: FileLock?
        do throws(SystemError) {
            lock = try FileLock(folder, within: limit)
        } catch {
            let noLocks = [EBADF, ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL]
            guard error.action == .lock, noLocks.contains(error.errno.rawValue) else { throw error }
            return try body()
        }
        switch consume lock {
        case .some(let lock): return try lock.hold(during: body)
        case .none: throw taken()
        }
    }
}

/// The process that holds a lock, for messages.
package struct LockHolder: Hashable, Sendable {
    package let process: Int
    /// The process's command line, or its beginning; empty if it cannot be read.
    package let command: String

    /// Looks the holder up in the system's table of locks.
    ///
    /// - Returns: `nil` if no process holds a lock on the file, or the system does not show who does: the
    ///   process may be in another container or on another machine.
    package init?(of path: String) {
        guard let status = try? FileStatus(path: path) else { return nil }
        let file = Self.name(of: status)
        // `1: FLOCK  ADVISORY  WRITE 4242 08:01:131 0 EOF`; a process that waits has `->` there.
        let table = Files.kernelText("/proc/locks", limit: 1 << 20).split(separator: "\n").lazy
        let found = table.map { $0.split(separator: " ").map(String.init) }
            .first { $0.count > 5 && $0[1] == "FLOCK" && $0[5] == file }
        guard let process = found.flatMap({ Int($0[4]) }), process > 0 else { return nil }
        self.process = process
        command = Files.kernelText("/proc/\(process)/cmdline", limit: 100)
            .split(separator: "\0").map(String.init).chained(by: " ")
    }

    /// `process 4242 ('eaves disable users')`
    package var words: String {
        "process \(process)" + (command.isEmpty ? "" : " (\(command.quoted))")
    }

    /// A file as the table of locks names it: the numbers of the device, in hexadecimal, and of the inode.
    private static func name(of status: FileStatus) -> String {
        func hex(_ number: UInt32) -> String {
            (number < 16 ? "0" : "") + String(number, radix: 16)
        }
        let device = UInt(status.device)
        return "\(hex(gnu_dev_major(device))):\(hex(gnu_dev_minor(device))):\(status.inode)"
    }
}
