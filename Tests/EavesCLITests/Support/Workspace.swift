// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Foundation
import Testing

/// A temporary folder with a manifest and modules, in which command lines run.
final class Workspace {
    private let folder: TemporaryFolder
    var path: String { folder.path }

    init(manifest: String = #"{"manifest": 1}"#) throws {
        folder = try TemporaryFolder()
        try write("manifest.json", manifest)
    }

    /// The absolute path of a file of the workspace.
    func callAsFunction(_ name: String) -> String { folder.file(name) }

    /// Runs a command line with this workspace's manifest.
    func eaves(_ words: String...) -> TestCommand.Outcome {
        TestCommand.run(["--manifest", self("manifest.json")] + words)
    }

    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        try write(name, Data(text.utf8))
    }

    @discardableResult
    func write(_ name: String, _ data: Data) throws -> String {
        try folder.write(data, to: name)
    }

    func read(_ name: String) throws -> String { try folder.read(name) }

    /// Puts a module's sources into `Plugins`: none of them is ever compiled.
    func addSources(_ folder: String, _ id: String, provides: String? = nil) throws {
        try write(
            "Plugins/\(folder)/module.json", #"{\#(Self.members(id, provides: provides))}"#)
    }

    /// Writes a module's file: it is never loaded.
    ///
    /// - Parameter compiler: The Swift that it says it was built with; `nil` for a module in C.
    @discardableResult
    func addFile(
        _ name: String, _ id: String, provides: String? = nil, compiler: String? = nil
    ) throws -> String {
        let note = Self.note(id, provides: provides, compiler: compiler)
        return try folder.write(Binaries.module(note: note), to: name)
    }

    static func note(_ id: String, provides: String? = nil, compiler: String? = nil) -> String {
        let tag = #","abi":1"# + (compiler.map { #","compiler":"\#($0)""# } ?? "")
        return #"{"type":"eaves","name":"\#(id)","version":"1.0.0","eaves":{"#
            + members(id, provides: provides) + tag + "}}"
    }

    private static func members(_ id: String, provides: String?) -> String {
        let services = provides.map { #"{"service":"\#($0)"}"# } ?? ""
        return #""id":"\#(id)","version":"1.0.0","summary":"A fixture","layer":"feature","#
            + #""provides":[\#(services)],"features":[{"name":"\#(id)","summary":"Try \#(id)"}]"#
    }
}
