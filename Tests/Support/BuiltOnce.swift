// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesProcess
import EavesSystem
import Glibc

/// Files that tests build of the sources in this repository, once for each content of them. They are kept next to the
/// tests for later runs.
package enum BuiltOnce {
    /// Returns the folder that `make` has filled. No test changes it.
    ///
    /// - Parameters:
    ///   - name: One name for each `make`.
    ///   - sources: The files and folders that it is made of, besides those that decide how modules are built.
    ///   - words: Further inputs, such as options.
    ///   - make: A function that fills the empty folder whose path it gets. It runs if neither this run nor an
    ///     earlier one has made the same before.
    package static func folder(
        _ name: String, of sources: [String], _ words: [String] = [],
        _ make: (String) throws -> Void
    ) throws -> String {
        // Eaves refuses files that a group can write.
        umask(0o022)
        let kept = Path.join(Repository.programs, "fixtures")
        let digest = try digest(of: builder + sources, words).hex.prefix(16)
        let target = Path.join(kept, "\(name)-\(digest)")
        if (try? FileStatus(path: target)) != nil { return target }
        try Files.createFolder(kept)
        // It has another name until it is whole: a run that is killed leaves no half of it.
        let made = Path.join(kept, ".\(name)-\(UInt64.random(in: 0 ... .max))")
        try Files.createFolder(made)
        do {
            try make(made)
            try Files.rename(made, to: target)
        } catch {
            try Files.removeTree(made)
            // Another run at the same time may have been faster.
            guard (try? FileStatus(path: target)) != nil else { throw error }
        }
        try removeEarlier(name, in: kept, except: target)
        return target
    }

    /// The code that decides how modules are built: the host's interface, and everything that `eaves build` runs.
    private static let builder = [
        "Sources/Contract/CEaves", "Sources/Contract/EavesInterface", "Sources/Building",
        "Sources/Knowledge/EavesDeclaration", "Sources/Knowledge/EavesELF",
    ].map(Repository.path)

    /// Returns a digest of the names and the contents of files, the compiler, and the machine's list of libraries.
    private static func digest(of sources: [String], _ words: [String]) throws -> SHA256Digest {
        var hash = SHA256()
        for word in words + [try compiler.get()] { hash.update(Array("\(word)\0".utf8)) }
        hash.update((try? Files.read("/etc/ld.so.cache")) ?? [])
        for source in sources { try add(source, to: &hash) }
        return hash.finalize()
    }

    private static func add(_ path: String, to hash: inout SHA256) throws {
        hash.update(Array("\(Path.name(of: path))\0".utf8))
        if try FileStatus(path: path).kind == .directory {
            for name in try Folder(path).entries.map(\.name).sorted() {
                try add(Path.join(path, name), to: &hash)
            }
        } else {
            let bytes = try Files.read(path)
            hash.update(Array("\(bytes.count)\0".utf8))
            hash.update(bytes)
        }
    }

    private static let compiler = Result {
        let report = try ChildPool.run(ChildCommand("swiftc", ["--version"]))
        guard report.ending.isSuccess else { throw FixtureError(report) }
        return String(decoding: report.output, as: UTF8.self)
    }

    private static func removeEarlier(_ name: String, in folder: String, except target: String)
        throws
    {
        for entry in try Folder(folder).entries {
            // The digest follows the last hyphen: `sample` does not remove a `sample-optimised-…`.
            guard entry.name.lastIndex(of: "-").map({ entry.name[..<$0] }) == name[...] else {
                continue
            }
            let path = Path.join(folder, entry.name)
            if path != target { try Files.removeTree(path) }
        }
    }
}
