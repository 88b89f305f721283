// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import CEavesNative
internal import CEavesSystem
import Glibc

/// An open file, which is closed when its owner goes.
package struct OpenFile: ~Copyable, Sendable {
    /// The path that the file was opened by, for messages.
    package let path: String
    /// The C descriptor. Valid as long as this value lives.
    package let descriptor: Int32

    /// Opens a file for reading. Never waits: a pipe without a writer opens at once, so that the
    /// caller can look at ``status()`` and refuse it.
    package init(reading path: String) throws(SystemError) {
        try self.init(AT_FDCWD, path, path, Self.reading, .open)
    }

    /// Opens a file of a folder for reading, as `init(reading:)` does.
    ///
    /// - Parameters:
    ///   - path: The file's whole path, for messages.
    ///   - followsLink: Whether to follow a symbolic link of that name, or to refuse it.
    package init(
        reading name: String, in folder: borrowing OpenFolder, path: String,
        followsLink: Bool = true
    ) throws(SystemError) {
        let flags = followsLink ? Self.reading : Self.reading | O_NOFOLLOW
        try self.init(folder.descriptor, name, path, flags, .open)
    }

    private static let reading = O_RDONLY | O_NONBLOCK | O_NOCTTY
    private static let creating = O_WRONLY | O_CREAT | O_EXCL

    /// Creates a file for writing. Throws if it exists.
    package init(creating path: String, mode: UInt32) throws(SystemError) {
        try self.init(AT_FDCWD, path, path, Self.creating, .create, mode: mode)
    }

    /// Creates a file of a folder for writing. Throws if the name is taken, also by a symbolic link.
    package init(
        creating name: String, in folder: borrowing OpenFolder, mode: UInt32
    ) throws(SystemError) {
        let path = Path.join(folder.path, name)
        try self.init(
            folder.descriptor, name, path, Self.creating | O_NOFOLLOW, .create, mode: mode)
    }

    package init(changing path: String) throws(SystemError) {
        try self.init(AT_FDCWD, path, path, O_WRONLY, .open)
    }

    /// Takes over a descriptor, and closes it when this value goes.
    package init(descriptor: Int32, path: String) {
        self.path = path
        self.descriptor = descriptor
    }

    private init(
        _ folder: Int32, _ name: String, _ path: String, _ flags: Int32,
        _ action: SystemError.Action, mode: UInt32 = 0
    ) throws(SystemError) {
        let opened = name.withCString { openat(folder, $0, flags | O_CLOEXEC, mode) }
        guard opened >= 0 else { throw SystemError(action, path) }
        self.path = path
        descriptor = opened
    }

    deinit { close(descriptor) }

    package func duplicate() throws(SystemError) -> OpenFile {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw SystemError(.open, path) }
        return OpenFile(descriptor: copy, path: path)
    }

    /// The same open file, which takes none of the program's descriptors any more if half of these are in use and the system
    /// allows others.
    package consuming func setAside() -> OpenFile {
        let copy = eaves_spare_descriptor(descriptor)
        return copy < 0 ? self : OpenFile(descriptor: copy, path: path)
    }

    /// The path of a folder. If it has other characters than those of ASCII, or a `%`, it is one through the descriptor of
    /// this process: the compiler's driver crashes if its folder for temporary files has such a path, and LLVM puts
    /// digits in the place of each `%` in the path of a file that it makes.
    package var pathForCompilers: String {
        path.utf8.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "%") }
            ? path : "/proc/\(getpid())/fd/\(descriptor)"
    }

    package func status() throws(SystemError) -> FileStatus { try FileStatus(of: descriptor, path) }

    /// Returns the whole content of a regular file.
    ///
    /// - Parameter limit: The size from which on a file is refused (`EFBIG`), so that a wrong file
    ///   cannot exhaust memory. In bytes.
    package func content(limit: Int = 64 << 20) throws(SystemError) -> [UInt8] {
        let status = try status()
        if status.kind == .directory { throw SystemError(.read, path, .isDirectory) }
        guard status.kind == .file else { throw SystemError(.read, path, .invalidArgument) }
        guard status.size <= limit else { throw SystemError(.read, path, .fileTooBig) }
        return try bytes(at: 0, count: status.size)
    }

    /// Reads `count` bytes from `offset` on; returns fewer only at the end of the file.
    package func bytes(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
        var problem: SystemError?
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
                    problem = SystemError(.read, path)
                    break
                }
            }
        }
        if let problem { throw problem }
        return bytes
    }

    /// Asks the system for the memory of a large buffer at once. Page faults, one for each page
    /// that is touched, take longer than reading a file into the buffer.
    private static func populate(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        // Smaller buffers come from memory that was used before.
        guard let start = buffer.baseAddress, buffer.count >= 128 << 10 else { return }
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        // Whole pages only: the first and the last page are shared with memory that is in use.
        let skipped = (page - Int(bitPattern: start) % page) % page
        // MADV_POPULATE_WRITE. On a system that does not know it, the page faults happen.
        _ = madvise(start + skipped, (buffer.count - skipped) / page * page, 23)
    }

    package func write(_ bytes: some Collection<UInt8>) throws(SystemError) {
        let written = bytes.withContiguousStorageIfAvailable { Self.write($0, to: descriptor) }
        let done =
            written ?? Array(bytes).withUnsafeBufferPointer { Self.write($0, to: descriptor) }
        guard done else { throw SystemError(.write, path) }
    }

    package func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
        guard pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count else {
            throw SystemError(.write, path)
        }
    }

    /// Waits until the written bytes are on the disk.
    package func synchronize() throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw SystemError(.write, path) }
    }

    /// Writes all of `bytes` to a descriptor. Returns `false`, with `errno` set, if that fails.
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

/// Creates files that exist in memory only.
package enum MemoryFile {
    /// Opens a new file for reading and writing. No child process inherits it.
    ///
    /// - Parameter name: The name that debuggers show.
    package static func open(_ name: String, flags: UInt32 = 0) throws(SystemError) -> OpenFile {
        let descriptor = memfd_create(name, UInt32(MFD_CLOEXEC) | flags)
        guard descriptor >= 0 else { throw SystemError(.create, "a copy of \(name) in memory") }
        return OpenFile(descriptor: descriptor, path: "a copy of \(name) in memory")
    }

    /// `F_ADD_SEALS`, which Swift's Glibc module leaves out.
    private static let addSeals: Int32 = 1033
    /// Forbids to write, to shrink and to grow the file, and to take that back.
    private static let allSeals: Int32 = 0b1111

    /// Returns a file with these bytes, which no process can change from then on.
    ///
    /// - Parameter name: The name that debuggers show.
    package static func sealed(_ bytes: [UInt8], name: String) throws(SystemError) -> OpenFile {
        let file = try open(name, flags: UInt32(MFD_ALLOW_SEALING))
        try file.write(bytes)
        guard fcntl(file.descriptor, addSeals, allSeals) == 0 else {
            throw SystemError(.write, file.path)
        }
        return file
    }
}

// Extended attributes, of which an access control list is one.
extension OpenFile {
    /// Copies the attributes of another file, as far as this process may set them, and removes those that the file has
    /// from its folder alone. Those that the kernel keeps about the content stay.
    func takeAttributes(of other: borrowing OpenFile) {
        let own = PathHandle.ownPath(of: descriptor)
        let source = PathHandle.ownPath(of: other.descriptor)
        let wanted = Self.attributes(of: source)
        for name in Self.attributes(of: own).subtracting(wanted) { removexattr(own, name) }
        for name in wanted {
            guard let value = try? PathHandle.attribute(name, of: source) else { continue }
            setxattr(own, name, value, UInt(value.count), 0)
        }
    }

    private static func attributes(of path: String) -> Set<String> {
        var names = [CChar](repeating: 0, count: 64 << 10)
        let count = max(0, listxattr(path, &names, UInt(names.count)))
        let all = names[..<count].split(separator: 0).map {
            String(decoding: $0.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        return Set(all.filter { !$0.hasPrefix("security.") || $0 == "security.selinux" })
    }
}
