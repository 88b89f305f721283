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

    /// A library with a function, which may call one of another library.
    private func library(
        _ name: String, function: String, calling other: (function: String, library: URL)? = nil,
        options: [String] = []
    ) throws -> URL {
        var macros = ["FUNCTION": function]
        if let other { macros["CALLS"] = other.function }
        let built = try CFixtures.module(
            "LeavesTrace", file: "library.c", macros: macros,
            options: ["-Wl,-soname,\(name)"] + (other.map { [$0.library.path] } ?? []) + options)
        let file = folder.url.appendingPathComponent(name)
        try FileManager.default.moveItem(at: built, to: file)
        return file
    }

    private func drop(calling functions: [String], options: [String]) throws {
        let macros = zip(["CALLS", "CALLS_TOO"], functions).map { ($0, $1) }
        let module = try CFixtures.module(
            "LeavesTrace", macros: Dictionary(uniqueKeysWithValues: macros), options: options)
        try workspace.drop(module, as: "bad.so")
    }

    @Test("that are missing are all named, before one that is there is loaded")
    func severalMissing() throws {
        let libraries = [
            try library("libghost.so", function: "ghost"),
            try library("libspectre.so", function: "spectre"),
            try library("libreal.so", function: "real"),
        ]
        try drop(
            calling: ["ghost", "spectre"],
            options: ["-Wl,--no-as-needed"] + libraries.map(\.path))
        for library in libraries[..<2] { try FileManager.default.removeItem(at: library) }
        try workspace.expectTraced(
            76,
            """
            error: leaves-trace: needs libraries that are not on this machine: 'libghost.so', \
            'libspectre.so' (Plugins/bad.so)
            fix: install 'libghost.so', 'libspectre.so', or add their folders to LD_LIBRARY_PATH
            """, environment: ["LD_LIBRARY_PATH": folder.url.path])
    }

    @Test(
        "are found where the dynamic linker finds them",
        arguments: ["runpath", "rpath", "environment", "path"])
    func found(way: String) throws {
        let inner = try library("libinner.so", function: "inner")
        let outer = try library(
            "libouter.so", function: "outer", calling: ("inner", inner),
            options: way == "runpath" ? ["-Wl,-rpath,$ORIGIN", "-Wl,--enable-new-dtags"] : [])
        let path = folder.url.path
        let options =
            switch way {
            case "runpath": ["-Wl,-rpath,\(path)", "-Wl,--enable-new-dtags"]
            case "rpath", "path": ["-Wl,-rpath,\(path)", "-Wl,--disable-new-dtags"]
            default: [String]()
            }
        try drop(calling: ["outer"], options: [outer.path] + options)
        let environment = way == "environment" ? ["LD_LIBRARY_PATH": path] : [:]
        for words in [["inspect", "leaves-trace"], ["launch", "traced"]] {
            let outcome = try workspace.eaves(words, environment: environment)
            #expect(outcome.code == 0, "\(outcome)")
        }
        #expect(workspace.folder.has("code-ran") && workspace.folder.has("library-ran"))
    }
}
