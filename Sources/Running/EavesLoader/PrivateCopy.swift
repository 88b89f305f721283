// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem
import Glibc
import Synchronization

/// A private copy of a module, held open: these are the bytes that are checked, and that the dynamic linker
/// gets. No process can exchange them in between, because no name is looked up again.
package final class PrivateCopy: Sendable {
    /// The path of the copy, for messages; for a copy in memory, that of its descriptor.
    package let path: String
    /// The digest of its content.
    package let digest: SHA256Digest
    /// The content, until ``keep()`` is called, unless it is large.
    private let content: Mutex<[UInt8]?>
    /// The size from which on the content is not kept. In bytes.
    private static let contentLimit = 4 << 20
    private let file: OpenFile

    /// The path by which the system finds the very file that is held.
    ///
    /// It names this process by its number, so that a debugger finds the file as well; where the number is
    /// another one in `/proc`, as in some containers, it does not.
    package let ownPath: String

    /// Reads a file whose content should have a digest.
    ///
    /// - Returns: `nil` if the content has another one.
    init?(
        _ file: consuming OpenFile, at path: String, size: Int, _ digest: SHA256Digest
    ) throws(SystemError) {
        let isSmall = size <= Self.contentLimit
        let bytes = isSmall ? try file.bytes(at: 0, count: size) : nil
        let found = if let bytes { SHA256.digest(of: bytes) } else { try SHA256.digest(of: file) }
        guard found == digest else { return nil }
        self.path = path
        self.digest = digest
        content = Mutex(bytes)
        ownPath = Self.ownPath(of: file.descriptor)
        self.file = file
    }

    /// Keeps bytes in memory, where no process can change them from then on.
    init(_ bytes: [UInt8], id: String) throws(SystemError) {
        digest = SHA256.digest(of: bytes)
        content = Mutex(bytes.count <= Self.contentLimit ? bytes : nil)
        file = try MemoryFile.sealed(bytes, name: id)
        path = PathHandle.ownPath(of: file.descriptor)
        ownPath = Self.ownPath(of: file.descriptor)
    }

    private static func ownPath(of descriptor: Int32) -> String {
        isNamedByNumber
            ? "/proc/\(getpid())/fd/\(descriptor)" : PathHandle.ownPath(of: descriptor)
    }

    /// Whether `/proc` calls this process by the number that it knows itself by.
    private static let isNamedByNumber =
        (try? Files.target(ofLink: "/proc/self")) == String(getpid())

    /// The descriptor of the held file, which is valid as long as this object lives.
    package var descriptor: Int32 { file.descriptor }

    /// Opens the held file a second time, to read it. It closes when its owner goes.
    package func reopened() throws(SystemError) -> OpenFile { try file.duplicate() }

    /// The content, if it is at hand: what was compared with the digest need not be read again.
    package var knownContent: [UInt8]? { content.withLock { $0 } }

    /// Whether no other process, and no other host of this one, has the file open as its private copy.
    var isUsedAlone: Bool { file.lockAlone() }

    /// Keeps the descriptor open until the process ends. The dynamic linker knows a file by its path: if a
    /// later copy got the same descriptor, the linker would take it for this one.
    package func keep() {
        content.withLock { $0 = nil }
        _ = Self.raisedLimit
        // SAFETY: the object is never released, so nothing can use it after its end.
        _ = Unmanaged.passRetained(self)
    }

    /// Many modules need many descriptors. A process may raise its own limit up to the hard one, and the
    /// usual one is low only for the sake of old programs.
    private static let raisedLimit: Void = {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }()
}
