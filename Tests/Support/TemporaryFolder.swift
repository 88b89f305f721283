// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesProcess
import EavesSystem
package import Foundation
import Glibc
import Synchronization

/// A folder for one test, or for a fixture of many tests. It is removed together with its owner, and at the
/// latest when the process ends.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// The folder of all temporary folders of this process, which is removed when the process ends.
    private static let run: Result<String, any Error> = Result {
        // Eaves refuses files that a group can write, so the tests do not depend on the umask that they
        // are started with.
        umask(0o022)
        let name = "eaves-tests-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let path = Path.join(Environment.current["TMPDIR"] ?? "/tmp", name)
        try Files.createFolder(path)
        // Threads that still run the code of modules at that time do not need the files any more. 'rm' also
        // removes files whose names are not UTF-8.
        atexit {
            guard let path = try? TemporaryFolder.run.get() else { return }
            _ = try? ChildPool.run(ChildCommand("/bin/rm", ["-rf", path]))
        }
        return path
    }
    private static let count = Atomic(0)

    package init() throws {
        let number = Self.count.add(1, ordering: .relaxed).newValue
        path = Path.join(try Self.run.get(), String(number))
        try Files.createFolder(path)
    }

    // The end of the process removes a folder that could not be removed before.
    deinit { try? Files.removeTree(path) }

    /// The path of a file in the folder.
    package func file(_ name: String) -> String { Path.join(path, name) }

    /// Writes a file, creates the folders above it, and returns its path.
    @discardableResult
    package func write(
        _ bytes: some Collection<UInt8>, to name: String, mode: UInt32 = 0o644
    ) throws -> String {
        let file = file(name)
        try Files.createFolder(Path.parent(of: file))
        try Files.replace(file, with: bytes, mode: mode)
        return file
    }

    /// Writes a text, creates the folders above it, and returns its path.
    @discardableResult
    package func write(_ text: String, to name: String, mode: UInt32 = 0o644) throws -> String {
        try write(Array(text.utf8), to: name, mode: mode)
    }

    /// Writes a program, such as a script, and returns its path.
    ///
    /// Another process makes the file: one that this process writes can be open in a child that another test starts
    /// just now, and is then too busy to be run.
    package func writeProgram(_ text: String, to name: String) throws -> String {
        let source = try write(text, to: name + ".text")
        let made = try ChildPool.run(
            ChildCommand("install", ["-D", "-m", "755", source, file(name)]))
        guard made.ending.isSuccess else { throw FixtureError(made) }
        return file(name)
    }

    /// Creates a folder and the folders above it, and returns its path.
    @discardableResult
    package func createFolder(_ name: String) throws -> String {
        let folder = file(name)
        try Files.createFolder(folder)
        return folder
    }

    /// Creates a symbolic link and returns its path.
    @discardableResult
    package func link(_ name: String, to target: String) throws -> String {
        let link = file(name)
        guard symlink(target, link) == 0 else { throw SystemError(.create, link) }
        return link
    }

    /// The text of a file.
    package func read(_ name: String) throws -> String {
        String(decoding: try Files.read(file(name)), as: UTF8.self)
    }

    /// The names of all files directly in the folder, or in a folder below.
    package func names(in folder: String = "") throws -> [String] {
        try Folder(file(folder)).entries.map(\.name)
    }

    /// Whether there is a file of this name.
    package func has(_ name: String) -> Bool { (try? FileStatus(link: file(name))) != nil }
}

extension TemporaryFolder {
    /// The folder, for tests that name files by URLs.
    package var url: URL { URL(fileURLWithPath: path, isDirectory: true) }
}
