// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

@Suite("eaves build --watch", .onOwnThreads)
struct BuildWatchTests {
    /// `eaves build --watch` as a process in a workspace.
    private final class Watching {
        let workspace: Workspace
        private let child: Child
        private let messages: FileHandle
        private var rest = ""

        /// - Parameter limit: The limit of inotify that is 0 for the process; `nil` for none.
        init(
            _ arguments: [String] = [], sources: [String] = ["Common", "Home"],
            without limit: String? = nil
        ) throws {
            workspace = try Workspace(modules: [])
            for name in sources {
                try FileManager.default.copyItem(
                    at: Repository.sample("Plugins/\(name)"),
                    to: workspace.plugins.appendingPathComponent(name))
            }
            let pipe = try Child.pipe()
            messages = pipe.readEnd
            let command = [Eaves.executable.path, "build", "--watch"] + arguments
            let line = limit.map { "echo 0 > /proc/sys/user/max_inotify_\($0) && exec \"$@\"" }
            let all = line.map { ["/usr/bin/unshare", "-Ur", "sh", "-c", $0, "sh"] + command }
            child = try Child(
                URL(fileURLWithPath: (all ?? command)[0]), Array((all ?? command).dropFirst()),
                in: workspace.url,
                [
                    .reading("/dev/null"), .writing("/dev/null"),
                    .descriptor(pipe.writeEnd.fileDescriptor),
                ])
            try pipe.writeEnd.close()
        }

        /// Reads messages up to a line with a text.
        ///
        /// - Returns: What was read, with durations left out.
        @discardableResult
        func lines(upTo text: String) throws -> [String] {
            try child.guarded {
                var lines: [String] = []
                while true {
                    while let end = rest.firstIndex(of: "\n") {
                        let line = String(rest[..<end])
                        rest = String(rest[rest.index(after: end)...])
                        // An edit may come while the one before is compiled.
                        if line.contains("changed while it was compiled") { continue }
                        lines.append(line.components(separatedBy: " in ")[0])
                        if line.contains(text) { return lines }
                    }
                    let more = messages.availableData
                    guard !more.isEmpty else {
                        throw FixtureError("ended before '\(text)': \(lines) \(rest)")
                    }
                    rest += String(decoding: more, as: UTF8.self)
                }
            }
        }

        /// Ends the process by a signal.
        ///
        /// - Returns: The signal that ended it, and what it still printed.
        func end(by signal: Int32) throws -> (signal: Int32?, rest: String) {
            child.signal(signal)
            let ending = try child.wait()
            let last = String(decoding: try messages.readToEnd() ?? Data(), as: UTF8.self)
            return (ending.signal, rest + last)
        }

        /// Saves a source as an editor does that writes in place.
        func save(_ text: String, to name: String) throws {
            let file = try #require(fopen(workspace.plugins.appendingPathComponent(name).path, "w"))
            fputs(text, file)
            fclose(file)
        }

        /// The source of the home screen, which says a word.
        func screen(_ word: String) throws -> String {
            let text = try String(
                contentsOf: Repository.sample("Plugins/Home/HomeScreen.swift"), encoding: .utf8)
            return text.replacingOccurrences(of: "Welcome home", with: word)
        }

        /// Whether the module's file has a text.
        func hasText(_ text: String) throws -> Bool {
            let data = try Data(contentsOf: workspace.plugins.appendingPathComponent("home.so"))
            return data.range(of: Data(text.utf8)) != nil
        }
    }

    private static let screen = "Home/HomeScreen.swift"
    private static let start = "watching for changes, until Ctrl-C"

    @Test("builds first, then what is saved in place or by renaming, and nothing else")
    func saves() throws {
        // Only the first round builds what is up to date, too.
        let watching = try Watching(["--force"])
        #expect(try watching.lines(upTo: "watching") == ["built common", "built home", Self.start])
        try watching.save(watching.screen("In place it is"), to: Self.screen)
        #expect(try watching.lines(upTo: "built") == ["built home"])
        #expect(try watching.hasText("In place it is"))
        // Write another file, and rename it.
        try watching.save(watching.screen("Renamed it is now"), to: "Home/.HomeScreen.swift.new")
        let plugins = watching.workspace.plugins
        #expect(
            rename(
                plugins.appendingPathComponent("Home/.HomeScreen.swift.new").path,
                plugins.appendingPathComponent(Self.screen).path) == 0)
        #expect(try watching.lines(upTo: "built") == ["built home"])
        #expect(try watching.hasText("Renamed it is now"))
        // Move the file away, and write it anew.
        let file = plugins.appendingPathComponent(Self.screen).path
        #expect(rename(file, file + "~") == 0)
        try watching.save(watching.screen("Backed up it was"), to: Self.screen)
        #expect(unlink(file + "~") == 0)
        #expect(try watching.lines(upTo: "built") == ["built home"])
        #expect(try watching.hasText("Backed up it was"))
        // Saved without a change, and a file that is no source: no line comes before that of the next edit.
        try watching.save(watching.screen("Backed up it was"), to: Self.screen)
        try watching.save("notes", to: "Home/Notes.txt")
        try watching.save("struct Further {}\n", to: "Home/Further.swift")
        #expect(try watching.lines(upTo: "built") == ["built home"])
        let ending = try watching.end(by: SIGINT)
        #expect(ending.signal == SIGINT)
        #expect(ending.rest == "")
    }

    @Test("builds the modules after their interface module, and folders that come and grow")
    func others() throws {
        let watching = try Watching()
        try watching.lines(upTo: "watching")
        let plugins = watching.workspace.plugins
        try FileManager.default.copyItem(
            at: Repository.sample("Plugins/Users"), to: plugins.appendingPathComponent("Users"))
        #expect(try watching.lines(upTo: "built users").contains("built users"))
        try FileManager.default.createDirectory(
            at: plugins.appendingPathComponent("Home/Deep/Deeper"),
            withIntermediateDirectories: true)
        try watching.save("struct Deep {}\n", to: "Home/Deep/Deeper/Deep.swift")
        #expect(try watching.lines(upTo: "built home").last == "built home")
        // A home that does not compile is not tried again because of another module.
        try watching.save("struct Deep { let a: Int = \"\" }\n", to: "Home/Deep/Deeper/Deep.swift")
        try watching.lines(upTo: "fix: ")
        try watching.save("struct Extra {}\n", to: "Users/Extra.swift")
        #expect(try watching.lines(upTo: "built users") == ["built users"])
        // The edit is taken back: the file is the one of the last build.
        try watching.save("struct Deep {}\n", to: "Home/Deep/Deeper/Deep.swift")
        #expect(try watching.lines(upTo: "home") == ["home is up to date"])
        try watching.save("public protocol Further: Sendable {}\n", to: "Common/Further.swift")
        let lines = try watching.lines(upTo: "built home")
        #expect(lines.first == "built common")
    }

    @Test("builds when a source changes that a symbolic link to a folder leads to")
    func linkedFolder() throws {
        let watching = try Watching(["home"])
        try watching.lines(upTo: "watching")
        let far = try TemporaryFolder()
        try far.write("struct Far {}\n", to: "Deep/Far.swift")
        try FileManager.default.createSymbolicLink(
            at: watching.workspace.plugins.appendingPathComponent("Home/Linked"),
            withDestinationURL: far.url)
        #expect(try watching.lines(upTo: "built") == ["built home"])
        try far.write("struct Farther {}\n", to: "Deep/Far.swift")
        #expect(try watching.lines(upTo: "built") == ["built home"])
    }

    @Test(
        "looks every second where the system watches no more files, and warns once",
        .enabled(if: Eaves.canLimit, "needs root, and the right to make a namespace"),
        arguments: ["watches", "instances"])
    func limits(kind: String) throws {
        let watching = try Watching(without: kind)
        let lines = try watching.lines(upTo: "sudo sysctl fs.inotify.max_user_\(kind)=")
        #expect(Array(lines.prefix(3)) == ["built common", "built home", Self.start])
        #expect(lines[3].contains("warning: looks every second for changes: "), "\(lines)")
        try watching.save(watching.screen("Seen it was"), to: Self.screen)
        #expect(try watching.lines(upTo: "built") == ["built home"])
        #expect(try watching.hasText("Seen it was"))
        // A module that does not compile is not built each second.
        try watching.save("let", to: "Home/Wrong.swift")
        try watching.lines(upTo: "and build again")
        try FileManager.default.removeItem(
            at: watching.workspace.plugins.appendingPathComponent("Home/Wrong.swift"))
        #expect(try watching.lines(upTo: "up to date") == ["home is up to date"])
        #expect(try watching.end(by: SIGINT).rest.isEmpty)
    }
}
