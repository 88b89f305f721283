// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

/// Runs a command again and again on the same project, and kills it at another call that changes files each
/// time: before the first one, before the second one, …, in the middle of each write, and after the last one.
///
/// To the disk, after a call and before the next one are the same moment.
struct FaultyRuns {
    /// Loaded before the command: it counts the calls, and sends the signal.
    private static let injector = Result {
        try CFixtures.module("DiesAtCall", options: ["-ldl"])
    }

    let workspace: Workspace
    let command: [String]
    var input: String?
    var environment: [String: String] = [:]
    /// What else than the project can change, and is to be as before at each run.
    var further: [URL] = []

    /// The calls of a run that nobody kills, by name.
    private func calls() throws -> [String] {
        let files = try TemporaryFolder()
        let log = try files.write("", to: "calls")
        let outcome = try run(["EAVES_CALLS": log])
        #expect(outcome.code == 0, "\(outcome)")
        return try files.read("calls").split(separator: "\n").map(String.init)
    }

    /// Runs the command to its end, and has the project as before when `body` is through.
    func whole(_ body: () throws -> Void) throws {
        let before = try Snapshot(of: places, in: TemporaryFolder())
        let outcome = try run([:])
        #expect(outcome.code == 0, "\(outcome)")
        try body()
        try before.restore()
    }

    /// Runs the command in all ways in a soak, and else in a share of them, each time on a project as it is now.
    ///
    /// - Parameters:
    ///   - check: Is called after the process was killed, with the words of the fault.
    func each(_ check: (String) throws -> Void) throws {
        let before = try Snapshot(of: places, in: TemporaryFolder())
        let calls = try calls()
        #expect(calls.count > 1)
        var faults = (1...calls.count).map { "before \($0)" } + ["after \(calls.count)"]
        for (index, name) in calls.enumerated() where name.hasPrefix("write") {
            faults.append("half \(index + 1)")
        }
        // A usual run has those at both ends, and a share of the others.
        let ends = [faults[0], "before \(calls.count)", "after \(calls.count)"]
        let chosen = ends + Soak.sample(faults.filter { !ends.contains($0) }, every: 8)
        var killed = 0
        for fault in chosen {
            try before.restore()
            let outcome = try run(["EAVES_FAULT": fault])
            let number = Int(fault.split(separator: " ")[1]) ?? 0
            // A run after another one may do less, and the clock may have moved on.
            guard outcome.signal == SIGKILL else {
                #expect(outcome.code == 0, "\(fault) (\(calls[number - 1])): \(outcome)")
                continue
            }
            killed += 1
            try check("killed \(fault) (\(calls[number - 1]))")
        }
        #expect(killed > chosen.count / 2, "\(killed) of \(chosen.count)")
        try before.restore()
    }

    private var places: [URL] {
        [
            workspace.url.appendingPathComponent("manifest.json"),
            workspace.url.appendingPathComponent(".eaves"),
        ] + further
    }

    private func run(_ more: [String: String]) throws -> Eaves.Outcome {
        let preload = ["LD_PRELOAD": try Self.injector.get().path]
        return try workspace.eaves(
            command, input: input,
            environment: environment.merging(preload) { $1 }.merging(more) { $1 })
    }

    /// The unfinished files in a folder that a process has left.
    func leftovers() throws -> [String] {
        let found = FileManager.default.subpaths(atPath: workspace.url.path) ?? []
        return found.filter { $0.contains(".eaves-") && !$0.contains(".eaves-records") }
    }
}

/// Files and folders as they were, to have them again.
private struct Snapshot {
    private let places: [(place: URL, copy: URL?)]
    private let folder: TemporaryFolder

    init(of places: [URL], in folder: TemporaryFolder) throws {
        self.folder = folder
        self.places = try places.enumerated().map { index, place in
            guard FileManager.default.fileExists(atPath: place.path) else { return (place, nil) }
            let copy = folder.url.appendingPathComponent("\(index)")
            try FileManager.default.copyItem(at: place, to: copy)
            return (place, copy)
        }
    }

    func restore() throws {
        for (place, copy) in places {
            try? FileManager.default.removeItem(at: place)
            if let copy { try FileManager.default.copyItem(at: copy, to: place) }
        }
        let parent = places[0].place.deletingLastPathComponent()
        for name in try FileManager.default.contentsOfDirectory(atPath: parent.path)
        where name.contains(".eaves-") {
            try FileManager.default.removeItem(at: parent.appendingPathComponent(name))
        }
    }
}

extension Workspace {
    /// A project whose manifest names a module, binds a service and disables another module, with a history.
    static func edited() throws -> Workspace {
        let workspace = try Workspace(modules: [
            "home", "login", "users", "users-memory", "users-v2",
        ])
        for command in [
            ["swap", "UserService", "users-v2"], ["swap", "UserService", "users-memory"],
            ["disable", "home"], ["list"],
        ] {
            let outcome = try workspace.eaves(command)
            guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
        }
        return workspace
    }

    /// The manifest, the history without its times, and what a table says.
    ///
    /// - Parameter tables: The commands that print them.
    func state(_ tables: [[String]], environment: [String: String] = [:]) throws -> [String] {
        var state = [try folder.read("manifest.json")]
        for command in [["history", "--json"]] + tables {
            let outcome = try eaves(command, environment: environment)
            #expect(outcome.code == 0 && outcome.errors == "", "\(command): \(outcome)")
            state.append(
                outcome.output.split(separator: "\n").filter { !$0.contains("\"time\":") }
                    .joined(separator: "\n"))
        }
        return state
    }
}
