// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
@_spi(Generated) import EavesInterface
import EavesSystem
package import EavesTrust
import Glibc
import Synchronization

/// The folder with the resources of a module: what `Bundle.module` finds in it.
///
/// It is named by the digest of the resources, so that it is written once for all hosts of a project, and never changed. A
/// process that has loaded such a module holds a lock on the folder; a new folder takes the place of those that no process
/// holds.
package struct ResourceFolder: Hashable, Codable, Sendable {
    private static let name = "resources"

    package let digest: String
    /// Absolute.
    package let path: String

    package init(digest: String, path: String) {
        self.digest = digest
        self.path = path
    }

    /// Writes the resources of a module into a folder, unless they are there.
    ///
    /// - Parameter store: The project's store; `nil`, or one that cannot be written, for a folder that goes with this process.
    /// - Returns: `nil` if the module has no resources.
    /// - Throws: ``ELFError`` if the file is damaged, `PlaceError.untrusted` if others can change the store, and the error of the
    ///   system if there is no place for the resources.
    package init?(of copy: PrivateCopy, in store: Store?) throws {
        let file = try ELFFile(ELFSource(copy.reopened(), knowing: copy.knownContent))
        guard let resources = try ModuleResources(in: file) else { return nil }
        digest = resources.digest
        do {
            guard let store else { throw PlaceError.system(SystemError(.create, "", .readOnly)) }
            path = try Self.place(resources, in: store.make(Self.name))
        } catch PlaceError.untrusted(let error) {
            throw PlaceError.untrusted(error)
        } catch {
            path = try Self.place(resources, in: OpenFolder(Self.temporaryFolder().path))
        }
    }

    package func announce() { ModuleBundles.note(path, of: digest) }

    private static func temporaryFolder() throws(SystemError) -> WorkFolder {
        try temporary.withLock { folder throws(SystemError) in
            if let folder { return folder }
            let root = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
            let own = try WorkFolder(in: OpenFolder(root), for: name)
            folder = own
            return own
        }
    }

    /// The folder of a process that can write no store. It goes with the process, or with the next one that makes such a folder.
    private static let temporary = Mutex<WorkFolder?>(nil)

    private static let held = Mutex<[String: Held]>([:])

    private final class Held: Sendable {
        private let folder: OpenFile

        init(_ folder: consuming OpenFile) { self.folder = folder }
    }

    /// How often another process can remove the folder before this one holds it.
    private static let attempts = 10

    private static func place(
        _ resources: ModuleResources, in folder: borrowing OpenFolder
    ) throws(SystemError) -> String {
        let name = resources.digest
        let path = Path.join(folder.path, name)
        if held.withLock({ $0[path] != nil }), folder.has(name) { return path }
        for _ in 0..<attempts {
            if !folder.has(name) {
                try write(resources, into: folder)
                removeUnused(in: folder, besides: name)
            }
            guard let opened = try folder.file(name) else { continue }
            opened.lockShared()
            guard folder.has(name) else { continue }
            let holder = Held(opened)
            held.withLock { $0[path] = holder }
            return path
        }
        throw SystemError(.create, path, .tryAgain)
    }

    private static func removeUnused(in folder: borrowing OpenFolder, besides name: String) {
        for other in (try? folder.entries().map(\.name)) ?? []
        where other != name && !other.hasPrefix(".") {
            // The next new folder removes what this one cannot.
            guard let opened = try? folder.file(other), opened.lockAlone() else { continue }
            try? folder.removeTree(other)
            withExtendedLifetime(opened) {}
        }
    }

    /// Writes the files, and then gives their folder its name, in one step.
    private static func write(
        _ resources: ModuleResources, into folder: borrowing OpenFolder
    ) throws(SystemError) {
        let work = try WorkFolder(in: folder, for: "bundle")
        let whole = Path.join(work.path, "whole")
        try Files.createFolder(whole)
        for file in resources.files {
            let target = Path.join(whole, file.name)
            try Files.createFolder(Path.parent(of: target))
            try OpenFile(creating: target, mode: 0o444).write(file.bytes)
        }
        do throws(SystemError) {
            try work.publish("whole", as: resources.digest)
        } catch {
            // Another process was faster.
            guard folder.has(resources.digest) else { throw error }
        }
    }
}
