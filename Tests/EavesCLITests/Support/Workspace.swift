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
        let tag = #","abi":1"# + (compiler.map { #","compiler":"\#($0)""# } ?? "")
        let note =
            #"{"type":"eaves","name":"\#(id)","version":"1.0.0","eaves":{"#
            + Self.members(id, provides: provides) + tag + "}}"
        return try write(name, ModuleFiles.file(note: note))
    }

    private static func members(_ id: String, provides: String?) -> String {
        let services = provides.map { #"{"service":"\#($0)"}"# } ?? ""
        return #""id":"\#(id)","version":"1.0.0","summary":"A fixture","layer":"feature","#
            + #""provides":[\#(services)],"features":[{"name":"\#(id)","summary":"Try \#(id)"}]"#
    }
}

/// Shared objects that look like modules.
private enum ModuleFiles {
    /// The file of a module that bears a note.
    static func file(note: String) throws -> Data {
        var data = try template.get()
        let range = try #require(data.range(of: placeholder))
        let text = Data(note.utf8)
        try #require(text.count < placeholder.count)
        data.replaceSubrange(range, with: text + Data(count: placeholder.count - text.count))
        return data
    }

    private static let placeholder = Data(repeating: UInt8(ascii: "@"), count: 2000)

    /// Compiled once, with room for a note.
    private static let template = Result {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let source = """
            #include "eaves.h"
            EAVES_MODULE_NOTE("\(String(decoding: placeholder, as: UTF8.self))")
            int32_t eaves_register(const eaves_host *host) { return host == 0; }
            """
        try folder.write(source, to: "module.c")
        let include = URL(fileURLWithPath: #filePath + "/../../../../Sources/CEaves/include")
        // 'cc', or the clang that comes with Swift.
        let script = #"""
            cd "$0" && set -- -shared -fPIC -nostdlib -I "$1" -o module.so module.c
            if command -v cc > /dev/null; then exec cc "$@"; fi
            exec "$(dirname "$(readlink -f "$(command -v swiftc)")")/clang" -fuse-ld=lld "$@"
            """#
        let report = try ChildPool.run(
            ChildCommand("/bin/sh", ["-c", script, folder.path, include.standardizedFileURL.path]))
        #expect(
            report.ending.isSuccess, "\(String(decoding: report.output, as: UTF8.self))")
        return try Data(contentsOf: URL(fileURLWithPath: folder.file("module.so")))
    }
}
