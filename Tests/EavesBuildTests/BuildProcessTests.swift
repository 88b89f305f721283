// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesBuildTestSupport
@testable import EavesCompiler
import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

/// Builds next to other builds, with other processes and signals.
@Suite(.promptly, .patiently) struct BuildProcessTests {
    @Test("compiles several modules at once, and reports when each starts and ends")
    func parallel() throws {
        // Each compiler waits until the other one has started, but not for ever.
        let compiler = try CompilerFixture(
            script: """
                turn=0
                while [ $(ls $(dirname $0)/runs | wc -l) -lt 2 ]; do
                    turn=$((turn + 1)); [ $turn -lt 6000 ] || exit 1
                    sleep 0.01
                done
                give
                """)
        var plugins = try PluginFixture(environment: compiler.environment)
        plugins.builder.limit = 2
        let requests = [try plugins.add("A"), try plugins.add("B")]
        var events: [String] = []
        var standings: [BuildStatus] = []
        let results = plugins.builder.build(requests) { event in
            switch event {
            case .compiling(let request): events.append("compiling \(request.id)")
            case .finished(let result): events.append("finished \(result.id)")
            case .running(let standing):
                // The pool reports this while it waits for both.
                standings.append(standing)
            case .printed, .restarting, .waiting: Issue.record("an unexpected event")
            }
        }
        #expect(standings.first?.compiling.map(\.id) == ["a", "b"])
        #expect(standings.allSatisfy { $0.count == 2 && $0.done + $0.compiling.count == 2 })
        #expect(results.map(\.id) == ["a", "b"])
        #expect(results.allSatisfy { $0.error == nil })
        #expect(Array(events.prefix(2)) == ["compiling a", "compiling b"])
        #expect(Set(events.suffix(2)) == ["finished a", "finished b"])
    }

    @Test("the compiler gets a private folder for temporary files, which is removed afterwards")
    func temporaryFiles() throws {
        let (plugins, compiler, request) = try PluginFixture.hello(
            by: "echo $TMPDIR > $(dirname $0)/tmpdir; echo x > $TMPDIR/left; give")
        let result = plugins.builder.build([request])[0]
        #expect(result.error == nil)
        let folder = try compiler.scratch.read("tmpdir").dropLast()
        #expect(folder.hasPrefix(plugins.scratch.file("Plugins/.")))
        #expect(try plugins.names() == ["Hello", "hello.so"])
    }

    @Test("a module is readable for all and writable for its owner alone, whatever the umask")
    func mode() throws {
        for mode in ["777", "775", "757", "644"] {
            let (plugins, _, request) = try PluginFixture.hello(by: "give; chmod \(mode) $output")
            #expect(plugins.builder.build([request])[0].error == nil)
            let expected: UInt32 = mode == "644" ? 0o644 : 0o755
            #expect(try FileStatus(path: request.output).mode == expected)
            #expect(plugins.builder.freshness(of: request) == .fresh)
        }
    }

    @Test("an output is replaced as a whole: a program that has the old one open keeps it")
    func atomic() throws {
        let (plugins, _, request) = try PluginFixture.hello()
        try plugins.scratch.write("old", to: "Plugins/hello.so")
        let old = try OpenFile(reading: request.output)
        #expect(plugins.builder.build([request])[0].error == nil)
        #expect(try old.bytes(at: 0, count: 100) == Array("old".utf8))
        #expect(try FileStatus(path: request.output).size > 1000)
    }

    @Test("the next build removes the folders of killed builds, and leaves those in use")
    func sweep() throws {
        let (plugins, _, request) = try PluginFixture.hello()
        for name in ["dead", "alive"] {
            try plugins.scratch.write("x", to: "Plugins/.eaves-build.\(name)/module.so")
        }
        let lock = try FileLock(
            OpenFolder(plugins.scratch.file("Plugins/.eaves-build.alive")))
        try lock.hold { () throws in
            #expect(plugins.builder.build([request])[0].error == nil)
        }
        #expect(try plugins.names() == [".eaves-build.alive", "Hello", "hello.so"])
    }

    /// The compiler kills the process that builds: the parent of its keeper.
    @Test("a build that was killed leaves a folder, which the next build removes")
    func killed() async throws {
        let (plugins, compiler, request) = try PluginFixture.hello(
            by: """
                builder=$(cut -d ' ' -f 4 /proc/$PPID/stat)
                [ -e $(dirname $0)/again ] || kill -KILL $builder
                give
                """)
        let (host, folder) = (plugins.host.executable, plugins.scratch.path)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [host = host as String, folder = folder as String, swiftc = compiler.swiftc as String]
            in
            var environment = Environment.current
            environment["EAVES_SWIFTC"] = swiftc
            let builder = Builder(
                forHost: host, environment: environment)
            _ = builder.build([
                BuildRequest(
                    id: "hello", folder: "\(folder)/Plugins/Hello",
                    output: "\(folder)/Plugins/hello.so")
            ])
        }
        let left = try plugins.names().filter { $0.hasPrefix(".eaves-build.") }
        #expect(left.count == 1)
        try compiler.scratch.write("", to: "again")
        // The compiler of the killed build may run on for a moment, and then keeps the folder.
        let isFree =
            try FileLock(
                plugins.scratch.file("Plugins/\(left.first ?? "")"), within: Patience.limit) != nil
        #expect(isFree)
        #expect(plugins.builder.build([request])[0].error == nil)
        #expect(try plugins.names() == ["Hello", "hello.so"])
    }

    @Test(
        "a folder takes modules like any other whose name has other letters than those of ASCII, or a %",
        arguments: ["Grün", "50 %"])
    func letters(name: String) throws {
        let plugins = try PluginFixture()
        var request = try plugins.add("Hello")
        let folder = plugins.scratch.file(name)
        try Files.createFolder(folder)
        try request.write(to: folder + "/")
        let result = plugins.builder.build([request])[0]
        #expect(result.error == nil, "\(result.compilerOutput)")
        #expect(
            try Folder(folder).entries.map(\.name).sorted() == [".eaves-records", "hello.so"])
    }

    /// The compiler ends when another build has said that it waits.
    @Test("builds at the same time compile a module once, and leave one output and its record")
    func twoBuilds() async throws {
        let (plugins, compiler, request) = try PluginFixture.hello(
            by: """
                turn=0
                while [ ! -e $(dirname $0)/told ] && [ $turn -lt 6000 ]; do
                    turn=$((turn + 1)); sleep 0.01
                done
                give
                """)
        let (builder, told) = (plugins.builder, compiler.scratch.file("told"))
        let other = try plugins.add("Other")
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let results = builder.build([request, other]) { event in
                        guard case .waiting(let request, let holder) = event else { return }
                        try? Files.replace(told, with: request.waiting(for: holder).utf8)
                    }
                    return results.allSatisfy { $0.error == nil }
                }
            }
            for await isBuilt in group { #expect(isBuilt) }
        }
        #expect(compiler.runs == 2)
        let words = try compiler.scratch.read("told")
        #expect(words.contains(" is being compiled by process \(getpid()) "), "\(words)")
        try Files.remove(request.output)
        try Files.remove(other.output)
        #expect(builder.build([request])[0].error == nil)
        #expect(compiler.runs == 3)
        #expect(try plugins.names() == ["Hello", "Other", "hello.so"])
        #expect(builder.freshness(of: request) == .fresh)
    }

    /// Runs in another process, because that process must die of the signal.
    @Test("an interrupted build leaves the old file and nothing else, and dies of the signal")
    func interrupted() async throws {
        let compiler = try CompilerFixture(script: "sleep 60 & wait; give")
        let plugins = try PluginFixture(environment: compiler.environment)
        for name in ["A", "B", "C"] { try plugins.add(name) }
        try plugins.scratch.write("old", to: "Plugins/a.so")
        let (host, folder) = (plugins.host.executable, plugins.scratch.path)
        await #expect(processExitsWith: .signal(SIGHUP)) {
            [host = host as String, folder = folder as String, swiftc = compiler.swiftc as String]
            in
            signal(SIGHUP, SIG_DFL)
            var environment = Environment.current
            environment["EAVES_SWIFTC"] = swiftc
            var builder = Builder(forHost: host, environment: environment)
            builder.limit = 2
            let requests = ["A", "B", "C"].map {
                BuildRequest(
                    id: $0.lowercased(), folder: "\(folder)/Plugins/\($0)",
                    output: "\(folder)/Plugins/\($0.lowercased()).so")
            }
            var finished = ""
            _ = builder.build(requests) { event in
                if case .compiling = event { kill(getpid(), SIGHUP) }
                guard case .finished(let result) = event else { return }
                #expect(result.error?.cause == .interrupted(signal: SIGHUP))
                // The build does not return.
                finished += result.request.id
                try? Files.replace("\(folder)/finished", with: Array(finished.utf8))
            }
        }
        #expect(try Set(plugins.scratch.read("finished")) == ["a", "b", "c"])
        #expect(try plugins.scratch.read("Plugins/a.so") == "old")
        #expect(try plugins.names() == ["A", "B", "C", "a.so"])
    }
}
