// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Whole files and folders.
package enum Files {
    /// The whole content of a regular file.
    ///
    /// - Parameter limit: A larger file is an error (`EFBIG`), so that a wrong one cannot exhaust
    ///   memory. In bytes.
    package static func read(_ path: String, limit: Int = 64 << 20) throws(SystemError) -> [UInt8] {
        let file = try OpenFile(reading: path)
        let status = try file.status()
        if status.kind == .directory { throw SystemError(.read, path, .isDirectory) }
        guard status.kind == .file else { throw SystemError(.read, path, Errno(rawValue: EINVAL)) }
        guard status.size <= limit else { throw SystemError(.read, path, Errno(rawValue: EFBIG)) }
        return try file.bytes(at: 0, count: status.size)
    }

    /// Replaces a file as one step: readers see the old content or the new, never a part, also
    /// after a power cut. Keeps the permissions of the file that it replaces, and its owner where
    /// this process may; writes through a symbolic link. What is no file is left alone.
    package static func replace(
        _ path: String, with bytes: some Collection<UInt8>, mode: UInt32 = 0o644
    ) throws(SystemError) {
        let target = resolved(path) ?? path
        let old = try? FileStatus(path: target)
        if let old, old.kind != .file {
            let reason = old.kind == .directory ? Errno.isDirectory : Errno(rawValue: EINVAL)
            throw SystemError(.write, path, reason)
        }
        let temporary = temporaryName(beside: target)
        do throws(SystemError) {
            let file = try OpenFile(creating: temporary, mode: old?.mode ?? mode)
            if let old { keepStatus(old, of: file) }
            try file.write(bytes)
            try file.synchronize()
            try rename(temporary, to: target)
        } catch {
            unlink(temporary)
            // The temporary name tells a person nothing.
            throw SystemError(error.action, path, error.errno)
        }
        if let folder = try? OpenFile(reading: Path.parent(of: target)) {
            try? folder.synchronize()
        }
    }

    /// The owner first: changing it takes permission bits away.
    private static func keepStatus(_ old: FileStatus, of file: borrowing OpenFile) {
        if old.owner != geteuid() || old.group != getegid() {
            // Only root can give files away; for others the file is theirs from now on.
            _ = fchown(file.descriptor, old.owner, old.group)
        }
        fchmod(file.descriptor, mode_t(old.mode))
    }

    package static func rename(_ path: String, to target: String) throws(SystemError) {
        guard Glibc.rename(path, target) == 0 else { throw SystemError(.rename, target) }
    }

    /// Sets the permission bits.
    package static func setMode(_ mode: UInt32, of path: String) throws(SystemError) {
        guard chmod(path, mode) == 0 else { throw SystemError(.write, path) }
    }

    /// Removes a file; one that is not there is no error.
    package static func remove(_ path: String) throws(SystemError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw SystemError(.remove, path) }
    }

    /// Creates a folder and the ones above it, open to their owner alone where `mode` says so.
    package static func createFolder(_ path: String, mode: UInt32 = 0o755) throws(SystemError) {
        if mkdir(path, mode) == 0 { return }
        if errno == ENOENT {
            try createFolder(Path.parent(of: path), mode: mode)
            // Somebody else may be doing the same.
            if mkdir(path, mode) == 0 { return }
        }
        let failure = SystemError(.create, path)
        guard failure.errno == .fileExists, (try? FileStatus(path: path))?.kind == .directory else {
            throw failure
        }
    }

    /// A name in the same folder that nothing else uses.
    package static func temporaryName(beside path: String) -> String {
        let name = ".\(Path.name(of: path)).\(getpid()).\(UInt32.random(in: 0 ... .max))"
        return Path.join(Path.parent(of: path), name)
    }

    /// What a symbolic link says, as it stands there.
    package static func target(ofLink path: String) throws(SystemError) -> String {
        let capacity = Int(PATH_MAX) + 1
        var count = 0
        let target = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
            count = buffer.withMemoryRebound(to: CChar.self) {
                readlink(path, $0.baseAddress!, capacity)
            }
            filled = max(0, count)
        }
        guard count >= 0 else { throw SystemError(.inspect, path) }
        return String(decoding: target, as: UTF8.self)
    }

    /// The path without symbolic links, `.` and `..`; `nil` if it does not exist.
    package static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
