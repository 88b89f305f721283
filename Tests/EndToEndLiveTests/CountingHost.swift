// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

/// A workspace whose one module is the fixture `CountsCalls`: its feature `count` numbers the calls that it answers.
struct CountingHost {
    let workspace: Workspace
    var socket: String { workspace.url.appendingPathComponent("s").path }
    /// While this file is there, the feature fails in each process but the one whose number the file has.
    var fault: String { workspace.url.appendingPathComponent("fault").path }

    init() throws {
        workspace = try Workspace(modules: [])
        try workspace.drop(SwiftFixtures.module("counts-calls"))
        try workspace.manifest(#"{ "manifest": 1 }"#)
    }

    /// A host that counts calls, once it takes them.
    func launch(_ options: [String] = [], program: URL = Eaves.executable) throws -> LiveEaves {
        // An earlier host leaves it.
        unlink(socket)
        let host = try LiveEaves(
            ["launch", "--live"] + options + ["count", socket, fault],
            program: program, in: workspace.url, environment: ["SWIFT_BACKTRACE": "enable=no"])
        try Patience.wait(for: "the socket") { access(socket, F_OK) == 0 }
        return host
    }

    /// Lets the feature end, and returns how the program has.
    func quit(_ host: LiveEaves) throws -> (code: Int32, signal: Int32?) {
        _ = try? CountedCall(socket, "q")
        return try host.ending()
    }

    /// What the descriptors of a process lead to.
    static func openFiles(of process: Int32) throws -> [String] {
        let folder = "/proc/\(process)/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
        }
    }

    /// The numbers of the processes that a process has started; none if it has ended.
    static func children(of process: Int32) -> Set<Int32> {
        let path = "/proc/\(process)/task"
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return Set(
            tasks.flatMap { task in
                let text = try? String(contentsOfFile: "\(path)/\(task)/children", encoding: .utf8)
                return (text ?? "").split(separator: " ").compactMap { Int32($0) }
            })
    }

    /// The kernel's count of a process's memory, in kilobytes.
    static func memory(_ field: String, of process: Int32) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") }
        return try #require(line?.split { !$0.isNumber }.first.flatMap { Int($0) })
    }

    /// Waits for a process that is about to end.
    static func waitForEnd(of process: Int32) throws {
        try Patience.wait(for: "the end of process \(process)") { kill(process, 0) != 0 }
    }
}

extension CountingHost {
    /// The sources of the module in the workspace, built.
    struct Sources {
        let workspace: Workspace

        init(_ workspace: Workspace, withInterface: Bool = false) throws {
            self.workspace = workspace
            let files = FileManager.default
            try files.removeItem(at: workspace.plugins)
            try files.createDirectory(at: workspace.plugins, withIntermediateDirectories: true)
            try files.copyItem(
                at: SwiftFixtures.folder.appendingPathComponent("CountsCalls"),
                to: workspace.plugins.appendingPathComponent("CountsCalls"))
            if withInterface {
                try files.copyItem(
                    at: Repository.sample("Plugins/Common"),
                    to: workspace.plugins.appendingPathComponent("Common"))
                try edit(
                    "CountsCalls/module.json", "\"features\"",
                    "\"interfaces\": [\"common\"], \"features\"")
            }
            try build()
        }

        func build(_ number: Int) throws {
            try edit(
                "CountsCalls/CountsCallsModule.swift", "let build = \(number - 1)",
                "let build = \(number)")
            try build()
        }

        /// A later version of the common interface, with a protocol more.
        func growInterface(_ minor: Int = 1, more: String = "") throws {
            try edit("Common/module.json", "\"1.\(minor - 1).0\"", "\"1.\(minor).0\"")
            let text = "public protocol Newcomer: Sendable {}\n"
            try Data((text + more).utf8).write(
                to: workspace.plugins.appendingPathComponent("Common/Newcomer.swift"))
            try build(more.isEmpty ? [] : ["common"])
        }

        private func edit(_ file: String, _ old: String, _ new: String) throws {
            let file = workspace.plugins.appendingPathComponent(file)
            let text = try String(contentsOf: file, encoding: .utf8)
            guard text.contains(old) else { throw FixtureError("no '\(old)' in \(text)") }
            try Data(text.replacingOccurrences(of: old, with: new).utf8).write(to: file)
        }

        private func build(_ ids: [String] = []) throws {
            let outcome = try workspace.eaves(["build"] + ids)
            guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
        }
    }
}
