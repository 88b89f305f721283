// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

/// The library and the module each leave a file behind when any of their code runs.
@Suite("refuses a module whose library others can change", .onOwnThreads)
struct LibraryTrustTests {
    private let workspace: Workspace
    private let folder: TemporaryFolder

    init() throws {
        workspace = try Workspace()
        folder = try TemporaryFolder()
    }

    /// Makes a library and a module that is linked to it.
    ///
    /// - Returns: The library's file.
    @discardableResult
    private func make(
        runPath: String? = nil, name: String = "libshared.so", isCalled: Bool = true
    ) throws -> String {
        let built = try CFixtures.module(
            "LeavesTrace", file: "library.c", macros: ["FUNCTION": "shared"],
            options: ["-Wl,-soname,\(name)"])
        let file = folder.url.appendingPathComponent(name)
        try FileManager.default.moveItem(at: built, to: file)
        let module = try CFixtures.module(
            "LeavesTrace", macros: isCalled ? ["CALLS": "shared"] : [:],
            options: [
                "-Wl,--no-as-needed", file.path, "-Wl,-rpath,\(runPath ?? folder.url.path)",
            ])
        try workspace.drop(module, as: "bad.so")
        return file.path
    }

    private func expectRefusal(
        _ words: String..., environment: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for command in [["inspect", "leaves-trace"], ["launch", "traced"]] {
            let outcome = try workspace.eaves(command, environment: environment)
            #expect(outcome.code == 77, "\(outcome)", sourceLocation: sourceLocation)
            for word in words {
                #expect(
                    outcome.errors.contains(word), "\(outcome)", sourceLocation: sourceLocation)
            }
        }
        for trace in ["code-ran", "library-ran"] {
            #expect(!workspace.folder.has(trace), sourceLocation: sourceLocation)
        }
    }

    @Test("in its file, which the message names, before any of its code runs")
    func file() throws {
        let file = try make()
        #expect(chmod(file, 0o666) == 0)
        try expectRefusal(
            "leaves-trace: needs the library 'libshared.so'; ",
            "/libshared.so: expected a library "
                + "that only its owner can write, found that everybody can (mode 0666)",
            "(Plugins/bad.so)\nfix: check that it is what you put there, then run 'chmod go-w ")
        let verified = try workspace.verify("leaves-trace", code: 77)
        #expect(try verified.first?.check("library-trust").result == "failed")
        #expect(chmod(file, 0o644) == 0)
        let launched = try workspace.eaves("launch", "traced")
        #expect(launched.code == 0, "\(launched)")
        #expect(workspace.folder.has("library-ran"))
    }

    /// The other user's library has the name of one that the list of `ldconfig` names.
    @Test(
        "in a folder of LD_LIBRARY_PATH, which is searched before the libraries of the system",
        .enabled(if: geteuid() == 0, "needs root"))
    func cached() throws {
        let known = ["libz.so.1", "libbz2.so.1.0", "liblzma.so.5", "libexpat.so.1"]
        let list = try Eaves.shell(
            "/sbin/ldconfig -p; ldd \"$(command -v eaves)\"", in: workspace.url)
        let counts = known.map { name in list.lines.count { $0.contains("\t\(name) (") } }
        guard let name = zip(known, counts).first(where: { $0.1 == 1 })?.0 else {
            try Test.cancel("needs a common library that the command is not linked to")
        }
        let foreign = try make(runPath: "/nowhere", name: name, isCalled: false)
        #expect(chown(folder.url.path, 54321, 54321) == 0)
        let environment = ["LD_LIBRARY_PATH": folder.url.path]
        try expectRefusal(
            "needs the library '\(name)'; ", "belongs to 54321", environment: environment)
        // Also if the folder has only been opened to its owner, and is empty.
        try FileManager.default.removeItem(atPath: foreign)
        try expectRefusal(
            "needs the library '\(name)'; ", "belongs to 54321", environment: environment)
        let outcome = try workspace.eaves("launch", "traced")
        #expect(outcome.code == 0, "\(outcome)")
    }
}
