// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesSystem
package import EavesTrust
import Glibc
import Synchronization

/// All that the checks of a private copy depend on, besides its bytes.
package struct CheckTerms: Sendable {
    /// A text that is another one when a module, the manifest or the program is.
    let catalog: String
    /// Whether the module runs in a process of its own.
    let isIsolated: Bool

    package init(catalog: String, isIsolated: Bool) {
        self.catalog = catalog
        self.isIsolated = isIsolated
    }
}

/// Makes private copies of modules' files. Hosts load the copies.
///
/// Overwriting, truncating or deleting the original then does not affect a running host, and the
/// dynamic linker sees a new version at the same path as a new file.
///
/// A copy is named by the digest of its content, which is compared when the copy is used, until it has passed its checks. So it
/// makes no difference who has made it, or whether its maker was killed meanwhile. Links in the same folder say which
/// digest a file had in which state, so that a launch does not read the file again; see ``CopyIndex``.
package struct ShadowCopy: Sendable {
    private static let name = "modules"
    /// A copy's mode: only its owner can read it, and no user can write it.
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
    /// is held until it is loaded. No name is looked up in between. An earlier copy of the same content serves again. If the
    /// store cannot be written, the copy is in memory and lives until the process ends.
    ///
    /// - Parameters:
    ///   - file: The module's file, as an absolute path.
    ///   - known: The state in which the caller knows the file; `nil` for any.
    ///   - terms: Those on which the copy may have passed its checks before; `nil` to read it in any case.
    /// - Throws: `TrustError` or `PlaceError.untrusted` if others can change the file or the store, `SystemError` if
    ///   the file cannot be read, ``ChangingFileError`` if it is in another state or changes while it is read.
    package func make(
        of file: String, id: String, as known: FileIdentity? = nil,
        passedOn terms: CheckTerms? = nil,
        _ trust: TrustCheck
    ) throws -> PrivateCopy {
        let opened: OpenFile
        do throws(TrustError) {
            opened = try trust.openFile(TrustPlace(file, .module))
        } catch .unresolved(_, let reason) {
            throw reason
        } catch {
            throw error
        }
        let status = try opened.status()
        if let known, known != FileIdentity(status) { throw ChangingFileError() }
        return try make(of: opened, status, id: id, passedOn: terms)
    }

    private func make(
        of source: borrowing OpenFile, _ status: FileStatus, id: String, passedOn terms: CheckTerms?
    ) throws -> PrivateCopy {
        let start = WallClock.now
        do {
            guard let store, !store.isInMemory, case let folder = try store.make(Self.name),
                !folder.forbidsCode
            else {
                return try PrivateCopy(Self.content(of: source, status).bytes, id: id)
            }
            let index = CopyIndex(project: store.project)
            if let digest = index.digest(of: status, id: id, in: folder),
                let copy = try open(id, digest, in: folder, size: status.size, passedOn: terms)
            {
                index.cleanIfOld(folder, now: start)
                return copy
            }
            let (bytes, read) = try Self.content(of: source, status)
            let digest = SHA256.digest(of: bytes)
            if FileIdentity(read).isSettled(at: start) {
                // Before the copy: no process removes one that a link leads to.
                try? index.note(digest, of: read, at: source.path, id: id, in: folder)
            }
            if let copy = try open(id, digest, in: folder, size: bytes.count) { return copy }
            let name = CopyIndex.copyName(id: id, digest)
            // A folder of that name cannot be removed. Then the copy is in memory.
            try folder.remove(name)
            // After a power cut the copy may be incomplete. Its digest shows that, so there is no need to wait
            // for the disk.
            try folder.replace(name, with: bytes, mode: Self.mode, lasts: false)
            let copy = try open(id, digest, in: folder, size: bytes.count)
            if CopyIndex.cleaned.withLock({ $0.insert(folder.path).inserted }) {
                index.clean(folder)
            }
            if let copy { return copy }
        } catch PlaceError.untrusted(let error) {
            throw PlaceError.untrusted(error)
        } catch let error as SystemError where error.path == source.path {
            throw error
        } catch let error as ChangingFileError {
            throw error
        } catch {
            // The store cannot be written.
        }
        return try PrivateCopy(Self.content(of: source, status).bytes, id: id)
    }

    /// Removes a copy that no other host uses, so that a module that was refused leaves nothing.
    package func discard(_ copy: PrivateCopy) {
        guard copy.file.lockAlone(), let folder = try? store?.open(Self.name) else { return }
        try? folder.remove(Path.name(of: copy.path))
    }

    /// Notes that a copy has passed its checks, so that the next launch on the same terms reads none of it. If that fails,
    /// the next launch checks it again.
    ///
    /// - Parameter finding: A text that the next launch gets: ``PrivateCopy/finding``.
    package func note(
        _ copy: PrivateCopy, id: String, passedOn terms: CheckTerms, finding: String
    ) {
        let name = CopyIndex.copyName(id: id, copy.digest)
        guard let folder = try? store?.open(Self.name), let status = try? copy.file.status(),
            (try? folder.status(link: name)) == status,
            FileIdentity(status).isSettled(at: WallClock.now),
            // After a power cut, the copy could lack bytes that the note vouches for.
            (try? copy.file.synchronize()) != nil
        else { return }
        try? folder.link(
            CopyIndex.passName(name, terms),
            to: CopyIndex.pass(FileIdentity(status), on: terms) + finding)
    }

    /// Opens a copy that this user has made, and compares its content with its name, unless it was compared and has not
    /// changed since. A file that another user owns or can write to could contain anything.
    ///
    /// - Returns: `nil` if the file is not such a copy.
    private func open(
        _ id: String, _ digest: SHA256Digest, in folder: borrowing OpenFolder, size: Int,
        passedOn terms: CheckTerms? = nil
    ) throws(SystemError) -> PrivateCopy? {
        let name = CopyIndex.copyName(id: id, digest)
        guard let file = try? folder.file(name) else { return nil }
        // As long as it is locked, no other process removes it. A copy without a name is as good, so it makes
        // no difference if one was faster.
        file.lockShared()
        let status = try file.status()
        guard status.isOwnFile, status.size == size else { return nil }
        let path = Path.join(folder.path, name)
        if let terms, let pass = folder.target(ofLink: CopyIndex.passName(name, terms)) {
            let start = CopyIndex.pass(FileIdentity(status), on: terms)
            if pass.hasPrefix(start) {
                let finding = String(pass.dropFirst(start.count))
                return PrivateCopy(file, at: path, digest, finding: finding)
            }
        }
        return try PrivateCopy(file, at: path, size: size, digest)
    }

    /// How often a file is read whose names change meanwhile.
    private static let attempts = 10

    /// Reads a file to which no process writes meanwhile. Another file may take over its name, which changes its state and
    /// not its content: then it is read once more.
    private static func content(
        of source: borrowing OpenFile, _ first: FileStatus
    ) throws -> (bytes: [UInt8], FileStatus) {
        guard first.size <= FileStatus.moduleSizeLimit else {
            throw SystemError(.read, source.path, .fileTooBig)
        }
        var before = first
        for _ in 0..<attempts {
            let bytes = try source.bytes(at: 0, count: first.size)
            let after = try source.status()
            guard after.size == bytes.count, after.size == first.size,
                after.modified == first.modified
            else { break }
            if after == before { return (bytes, after) }
            before = after
        }
        throw ChangingFileError()
    }
}

extension OpenFolder {
    /// Whether no file of the folder can be mapped as code: it is another user's, or its file system is mounted with
    /// `noexec`, as Docker's `--tmpfs` does it.
    fileprivate var forbidsCode: Bool {
        if (try? status())?.isOwnedByUser != true { return true }
        // `ST_NOEXEC`, which glibc shows to GNU programs alone.
        let flag: UInt = 8
        var system = statvfs()
        return fstatvfs(descriptor, &system) == 0 && system.f_flag & flag != 0
    }
}

/// A module's file is not what it was a moment ago, so what is known of it may be wrong. Another look shows it as
/// it is now.
package struct ChangingFileError: Error, Hashable, Sendable, Diagnosable {
    package init() {}

    package var diagnostic: Diagnostic {
        Diagnostic(
            "the file changes while it is read",
            fix: "wait until it is written, or write it under another name and rename it",
            code: .inputOutput)
    }
}

/// A private copy of a module, held open: these are the bytes that are checked, and that the dynamic linker
/// gets. No process can exchange them in between, because no name is looked up again.
package final class PrivateCopy: Sendable {
    /// The path of the copy, for messages; for a copy in memory, that of its descriptor.
    package let path: String
    package let digest: SHA256Digest
    /// The content, until ``keep()`` is called, unless it is large.
    private let content: Mutex<[UInt8]?>
    /// The size from which on the content is not kept. In bytes.
    private static let contentLimit = 4 << 20
    fileprivate let file: OpenFile
    /// The text that an earlier process has noted with a copy that passed all checks; `nil` if the copy has to be checked.
    package let finding: String?

    /// The path by which the system finds the very file that is held.
    ///
    /// It names this process by its number, so that a debugger finds the file as well; where the number is
    /// another one in `/proc`, as in some containers, it does not.
    package let ownPath: String

    /// Holds a file whose content was compared with the digest, and that has not changed since.
    init(
        _ file: consuming OpenFile, at path: String? = nil, _ digest: SHA256Digest,
        content: [UInt8]? = nil, finding: String? = nil
    ) {
        let file = file.setAside()
        self.path = path ?? PathHandle.ownPath(of: file.descriptor)
        self.digest = digest
        self.content = Mutex(content)
        ownPath = Self.ownPath(of: file.descriptor)
        self.file = file
        self.finding = finding
    }

    /// Reads a file whose content should have a digest.
    ///
    /// - Returns: `nil` if the content has another one.
    convenience init?(
        _ file: consuming OpenFile, at path: String, size: Int, _ digest: SHA256Digest
    ) throws(SystemError) {
        let isSmall = size <= Self.contentLimit
        let bytes = isSmall ? try file.bytes(at: 0, count: size) : nil
        let found = if let bytes { SHA256.digest(of: bytes) } else { try SHA256.digest(of: file) }
        guard found == digest else { return nil }
        self.init(file, at: path, digest, content: bytes)
    }

    /// Keeps bytes in memory, where no process can change them from then on.
    convenience init(_ bytes: [UInt8], id: String) throws(SystemError) {
        self.init(
            try MemoryFile.sealed(bytes, name: id), SHA256.digest(of: bytes),
            content: bytes.count <= Self.contentLimit ? bytes : nil)
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

    /// Keeps the descriptor open until the process ends. The dynamic linker knows a file by its path: if a
    /// later copy got the same descriptor, the linker would take it for this one.
    package func keep() {
        content.withLock { $0 = nil }
        // SAFETY: the object is never released, so nothing can use it after its end.
        _ = Unmanaged.passRetained(self)
    }
}

/// The names in the folder of private copies, and the rule by which it cleans itself.
///
/// - `users@DIGEST.so` is a copy with the content of this digest.
/// - `users@IDENTITY` is a symbolic link that leads nowhere. Its text says that the file of this identity,
///   which stood at that path, has that digest: `DIGEST:Plugins/users.so`. A link is made in one step and
///   read in one system call, so a process that is killed leaves the old one, the new one, or none.
///
/// - `.users@DIGEST.so` is a symbolic link that leads nowhere. Its text names the identity of that copy and the terms on
///   which it has passed its checks. Whatever cleans the folder removes it, and the next launch makes it anew.
///
/// A link whose file has another identity by now says nothing any more. A copy goes when no link leads to it
/// and no process has it locked; a process that has loaded one holds a shared lock. Even if that rule erred,
/// no host would be harmed: a file without a name stays what it is for everybody who has it open.
struct CopyIndex {
    /// The store's folder, as an absolute path. Paths of files in it are noted relative to it, because a
    /// project can be moved, and has other paths in containers.
    let project: String

    /// A folder in which nothing was made for so long is cleaned by the next launch. In nanoseconds.
    private static let restTime: Int64 = 24 * 60 * 60 * 1_000_000_000
    private static let copySuffix = ".so"
    private static let digits = 64

    /// The folders that this process has cleaned. It need not do so again: a host that stays up makes its later
    /// copies in memory.
    fileprivate static let cleaned = Mutex<Set<String>>([])
    /// The folders whose age this process has looked at.
    private static let inspected = Mutex<Set<String>>([])

    /// The file name of a copy. Ids contain no `@`.
    static func copyName(id: String, _ digest: SHA256Digest) -> String {
        id + "@" + digest.hex + copySuffix
    }

    private static func linkName(id: String, _ status: FileStatus) -> String {
        id + "@" + FileIdentity(status).text
    }

    static func passName(_ copy: String, _ terms: CheckTerms) -> String {
        (terms.isIsolated ? ".isolated." : ".") + copy
    }

    static func pass(_ copy: FileIdentity, on terms: CheckTerms) -> String {
        "\(copy.text):\(terms.catalog):"
    }

    // MARK: Links

    /// The digest of a module's file in this state; `nil` if the folder does not know it.
    func digest(
        of status: FileStatus, id: String, in folder: borrowing OpenFolder
    ) -> SHA256Digest? {
        folder.target(ofLink: Self.linkName(id: id, status)).flatMap(Self.parse)?.digest
    }

    func note(
        _ digest: SHA256Digest, of status: FileStatus, at path: String, id: String,
        in folder: borrowing OpenFolder
    ) throws(SystemError) {
        let isInside = path.hasPrefix(project + "/")
        let place = isInside ? String(path.dropFirst(project.count + 1)) : path
        try folder.link(Self.linkName(id: id, status), to: digest.hex + ":" + place)
    }

    private static func parse(_ text: String) -> (digest: SHA256Digest, place: String)? {
        guard let digest = SHA256Digest(hex: text.prefix(digits)) else { return nil }
        let rest = text.dropFirst(digits)
        return rest.first == ":" ? (digest, String(rest.dropFirst())) : nil
    }

    // MARK: Cleaning

    /// Cleans a folder in which no copy was made for a day.
    func cleanIfOld(_ folder: borrowing OpenFolder, now: Int64) {
        guard Self.inspected.withLock({ $0.insert(folder.path).inserted }),
            let status = try? folder.status(), status.modified < now - Self.restTime
        else { return }
        clean(folder)
        // The next launch has no reason to look again, also if there was nothing to remove.
        try? folder.touch()
    }

    /// Removes the links that say nothing any more, the copies that no link leads to and no process uses, and the
    /// unfinished files of processes that were killed.
    func clean(_ folder: borrowing OpenFolder) {
        guard let entries = try? folder.entries() else { return }
        var used: Set<String> = []
        var copies: [String] = []
        for entry in entries {
            let name = entry.name
            if name.hasPrefix(".") || name.hasSuffix(Self.copySuffix) {
                copies.append(name)
            } else if let copy = copy(of: name, in: folder) {
                used.insert(copy)
            } else {
                try? folder.remove(name)
            }
        }
        for name in copies where !used.contains(name) {
            guard let file = try? folder.file(name), file.lockAlone() else {
                // Something else than a file: a link, or a folder, which stays.
                if (try? folder.status(link: name))?.kind == .link { try? folder.remove(name) }
                continue
            }
            try? folder.remove(name)
            // The lock lasts until the name is gone.
            withExtendedLifetime(file) {}
        }
    }

    /// The copy that a link leads to; `nil` if the link says nothing about any file that is there now.
    private func copy(of link: String, in folder: borrowing OpenFolder) -> String? {
        guard let at = link.firstIndex(of: "@"),
            let (digest, place) = folder.target(ofLink: link).flatMap(Self.parse),
            let status = try? FileStatus(path: Path.absolute(place, from: project))
        else { return nil }
        let id = String(link[..<at])
        return link == Self.linkName(id: id, status) ? Self.copyName(id: id, digest) : nil
    }
}
