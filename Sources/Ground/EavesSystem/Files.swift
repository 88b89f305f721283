// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads, replaces, renames and removes whole files and folders.
package enum Files {
    /// Returns the whole content of a regular file, as ``OpenFile/content(limit:)`` does.
    package static func read(_ path: String, limit: Int = 64 << 20) throws(SystemError) -> [UInt8] {
        try OpenFile(reading: path).content(limit: limit)
    }

    /// Replaces a file in one step: readers see the old content or the new, never a part, also after a power cut. Keeps
    /// the permissions of the file that it replaces, and the owner where this process may set it. Writes through a
    /// symbolic link. Refuses to replace anything other than a regular file.
    ///
    /// For paths that no other user can change. A command writes through `Output`, which sees to that.
    package static func replace(
        _ path: String, with bytes: some Collection<UInt8>, mode: UInt32 = 0o644
    ) throws(SystemError) {
        let target = resolved(path) ?? path
        do throws(SystemError) {
            try OpenFolder(Path.parent(of: target))
                .replaceFile(Path.name(of: target), with: bytes, mode: mode, keepsStatus: true)
        } catch {
            let action = error.action == .list ? .create : error.action
            throw SystemError(action, path, error.errno)
        }
    }

    /// Renames a file, and replaces the file that has the new name.
    package static func rename(_ path: String, to target: String) throws(SystemError) {
        guard Glibc.rename(path, target) == 0 else { throw SystemError(.rename, target) }
    }

    package static func setMode(_ mode: UInt32, of path: String) throws(SystemError) {
        guard chmod(path, mode) == 0 else { throw SystemError(.write, path) }
    }

    /// Removes a file. A missing file is not an error.
    package static func remove(_ path: String) throws(SystemError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw SystemError(.remove, path) }
    }

    /// Creates a folder, and the folders above it that are missing. All of them get `mode`. An
    /// existing folder is not an error.
    package static func createFolder(_ path: String, mode: UInt32 = 0o755) throws(SystemError) {
        if mkdir(path, mode) == 0 { return }
        if errno == ENOENT {
            try createFolder(Path.parent(of: path), mode: mode)
            // Another process may do the same at this moment.
            if mkdir(path, mode) == 0 { return }
        }
        let error = SystemError(.create, path)
        guard error.errno == .fileExists, (try? FileStatus(path: path))?.kind == .directory else {
            throw error
        }
    }

    package static func target(ofLink path: String) throws(SystemError) -> String {
        try linkTarget(at: AT_FDCWD, path, path: path)
    }

    static func linkTarget(
        at folder: Int32, _ name: String, path: String
    ) throws(SystemError) -> String {
        let capacity = Int(PATH_MAX) + 1
        var count = 0
        let target = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
            count = buffer.withMemoryRebound(to: CChar.self) {
                readlinkat(folder, name, $0.baseAddress!, capacity)
            }
            filled = max(0, count)
        }
        guard count >= 0 else { throw SystemError(.inspect, path) }
        return String(decoding: target, as: UTF8.self)
    }

    /// The text of a file that the kernel writes while it is read; empty if it cannot be read.
    package static func kernelText(_ path: String, limit: Int = 16 << 10) -> String {
        let bytes = try? OpenFile(reading: path).bytes(at: 0, count: limit)
        return String(decoding: bytes ?? [], as: UTF8.self)
    }

    /// The table of the mounts that this process sees.
    package static var mountTable: String { kernelText("/proc/self/mountinfo", limit: 1 << 20) }

    /// Returns a path without symbolic links, `.` and `..`; `nil` if the file does not exist.
    package static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}

extension Files {
    /// Removes a folder with all its content, or a file. A missing one is not an error. Removes a
    /// symbolic link instead of following it.
    package static func removeTree(_ path: String) throws(SystemError) {
        do throws(SystemError) {
            try OpenFolder(Path.parent(of: path)).removeTree(Path.name(of: path))
        } catch {
            guard error.action == .list, error.errno == .noSuchFile else { throw error }
        }
    }
}
