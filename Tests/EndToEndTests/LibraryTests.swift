// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("the libraries of a module", .onOwnThreads)
struct LibraryTests {
    private let workspace: Workspace
    /// Where the libraries are made.
    private let folder: TemporaryFolder

    init() throws {
        workspace = try Workspace()
        folder = try TemporaryFolder()
    }

    private func library(
        _ name: String, macros: [String: String], options: [String] = []
    ) throws -> String {
        let built = try CFixtures.module(
            "LeavesTrace", file: "library.c", macros: macros,
            options: ["-Wl,-soname,\(name)"] + options)
        let file = folder.url.appendingPathComponent(name)
        try FileManager.default.moveItem(at: built, to: file)
        return file.path
    }

    @Test(
        "are found where the dynamic linker finds them",
        arguments: ["runpath", "rpath", "environment", "path"])
    func found(way: String) throws {
        let inner = try library("libinner.so", macros: ["FUNCTION": "inner"])
        let outer = try library(
            "libouter.so", macros: ["FUNCTION": "outer", "CALLS": "inner"],
            options: [inner]
                + (way == "runpath" ? ["-Wl,-rpath,$ORIGIN", "-Wl,--enable-new-dtags"] : []))
        let path = folder.url.path
        let options =
            switch way {
            case "runpath": ["-Wl,-rpath,\(path)", "-Wl,--enable-new-dtags"]
            case "rpath", "path": ["-Wl,-rpath,\(path)", "-Wl,--disable-new-dtags"]
            default: [String]()
            }
        let module = try CFixtures.module(
            "LeavesTrace", macros: ["CALLS": "outer"], options: [outer] + options)
        try workspace.drop(module, as: "bad.so")
        let environment = way == "environment" ? ["LD_LIBRARY_PATH": path] : [:]
        for words in [["inspect", "leaves-trace"], ["launch", "traced"]] {
            let outcome = try workspace.eaves(words, environment: environment)
            #expect(outcome.code == 0, "\(outcome)")
        }
        #expect(workspace.folder.has("code-ran") && workspace.folder.has("library-ran"))
    }
}
