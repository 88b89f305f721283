// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem
package import EavesTrust
import Glibc

/// Makes private copies of modules' files. Hosts load the copies.
///
/// Overwriting, truncating or deleting the original then does not affect a running host, and the
/// dynamic linker sees a new version at the same path as a new file.
package struct ShadowCopy: Sendable {
    private static let name = "modules"
    /// A copy's mode: only its owner can read it, and nobody can write it.
    private static let mode: UInt32 = 0o500

    private let store: Store?

    /// The folder of private copies in a store, for messages.
    package static func folder(in store: Store) -> String { store.path(of: name) }

    /// - Parameter store: The store for the copies, which is created when it is first needed; `nil` to make
    ///   all copies in memory.
    package init(in store: Store?) {
        self.store = store
    }

    /// Checks who can change a module's file, and returns a copy of the file that has passed the check.
    ///
    /// Whatever loads a module calls this: the file that is checked is the file that is copied, and the copy
    /// is held until it is loaded. No name is looked up in between.
    ///
    /// - Parameters:
    ///   - file: The module's file, as an absolute path.
    ///   - id: The module's id.
    ///   - trust: The check of the manifest.
    /// - Throws: `TrustError` or `StoreError.untrusted` if others can change the file or the store,
    ///   `SystemError` if the file cannot be read, or changes while it is read.
    package func make(of file: String, id: String, _ trust: TrustCheck) throws -> PrivateCopy {
        let opened: OpenFile
        do throws(TrustError) {
            opened = try trust.openFile(TrustPlace(file, .module))
        } catch .unresolved(_, let reason) {
            throw reason
        } catch {
            throw error
        }
        return try make(of: opened, id: id)
    }

    /// Returns a copy of a module's file in its present state. Reuses an earlier copy of the same
    /// state.
    ///
    /// If the store cannot be written, the copy is in memory and lives until the process ends.
    ///
    /// - Parameters:
    ///   - source: The module's file, open for reading.
    ///   - id: The module's id.
    /// - Throws: `StoreError.untrusted` if others can change the store, ``SystemError`` if the original
    ///   cannot be read, or changes while it is read.
    package func make(of source: borrowing OpenFile, id: String) throws -> PrivateCopy {
        let status = try source.status()
        guard status.size <= FileStatus.moduleSizeLimit else {
            throw SystemError(.read, source.path, .fileTooBig)
        }
        let name = Self.name(id: id, status: status)
        do {
            guard let store else { return try PrivateCopy(Self.bytes(of: source, status), id: id) }
            let folder = try store.make(Self.name)
            if let copy = try open(name, in: folder, of: status) { return copy }
            // A folder of that name cannot be removed. Then the copy is in memory.
            try folder.remove(name)
            let bytes = try Self.bytes(of: source, status)
            try folder.replace(name, with: bytes, mode: Self.mode)
            Self.removeCopies(of: id, except: name, in: folder)
            if let copy = try open(name, in: folder, of: status) { return copy }
        } catch StoreError.untrusted(let error) {
            throw StoreError.untrusted(error)
        } catch let error as SystemError where error.path == source.path {
            throw error
        } catch {
            // The store cannot be written.
        }
        return try PrivateCopy(Self.bytes(of: source, status), id: id)
    }

    /// Removes a copy, so that a module that was refused leaves nothing.
    package func discard(_ copy: PrivateCopy) {
        guard let folder = try? store?.open(Self.name) else { return }
        try? folder.remove(Path.name(of: copy.path))
    }

    /// Opens a copy that this user has made. A file that another user owns or can write to could contain
    /// anything.
    ///
    /// - Returns: `nil` if the file is no such copy.
    private func open(
        _ name: String, in folder: borrowing OpenFolder, of original: FileStatus
    ) throws(SystemError) -> PrivateCopy? {
        guard let file = try? folder.file(name) else { return nil }
        let status = try file.status()
        guard status.kind == .file, status.size == original.size, status.isOwnedByUser,
            !status.isWritableByOthers
        else { return nil }
        return PrivateCopy(file, at: Path.join(folder.path, name))
    }

    private static func bytes(
        of source: borrowing OpenFile, _ status: FileStatus
    ) throws(SystemError) -> [UInt8] {
        let bytes = try source.bytes(at: 0, count: status.size)
        guard bytes.count == status.size, try source.status() == status else {
            throw SystemError(.read, source.path, .tryAgain)
        }
        return bytes
    }

    /// Removes the copies of earlier states. A host that has loaded one can go on: the system keeps
    /// the content of a file as long as a process maps it.
    private static func removeCopies(
        of id: String, except kept: String, in folder: borrowing OpenFolder
    ) {
        guard let entries = try? folder.entries() else { return }
        for entry in entries where entry.name.hasPrefix(id + "@") && entry.name != kept {
            try? folder.remove(entry.name)
        }
    }

    /// Returns the file name of a copy. Ids contain no `@`, so the copies of `users` and `users-v2`
    /// have different prefixes.
    private static func name(id: String, status: FileStatus) -> String {
        id + "@" + FileIdentity(status).text + ".so"
    }
}

/// A private copy of a module, held open: these are the bytes that are checked, and that the dynamic linker
/// gets. Nobody can exchange them in between, because no name is looked up again.
package final class PrivateCopy: Sendable {
    /// The path of the copy, for messages; for a copy in memory, that of its descriptor.
    package let path: String
    private let file: OpenFile

    /// The path by which the system finds the very file that is held.
    ///
    /// It names this process by its number, so that a debugger finds the file as well; where the number is
    /// another one in `/proc`, as in some containers, it does not.
    package let ownPath: String

    fileprivate init(_ file: consuming OpenFile, at path: String) {
        self.path = path
        ownPath = Self.ownPath(of: file.descriptor)
        self.file = file
    }

    /// Keeps bytes in memory, where nobody can change them from then on.
    fileprivate init(_ bytes: [UInt8], id: String) throws(SystemError) {
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

    /// Opens the held file a second time, to read it. It closes when its owner goes.
    package func reopened() throws(SystemError) -> OpenFile { try file.duplicate() }

    /// Keeps the descriptor open until the process ends. The dynamic linker knows a file by its path: if a
    /// later copy got the same descriptor, the linker would take it for this one.
    package func keep() {
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
