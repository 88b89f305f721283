// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesLoader
import EavesSystem
import Glibc
import Testing

@Suite("Watching for crashes", .timeLimit(.minutes(10)))
struct CrashWatchTests {
    @Test("logs and reports which module's code a crash was in, and dies of the signal")
    func crash() async throws {
        let folder = try TemporaryFolder()
        let code = """
            static int32_t inner(int32_t depth) {
                if (depth == 0) __builtin_trap();
                return inner(depth - 1) + 1;
            }
            int32_t eaves_register(const eaves_host *host) { return inner(2) + 1; }
            """
        let file = try CModules.compile(code, in: folder, ["-O0", "-fno-omit-frame-pointer"])
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGILL)) {
            [file = file as String, path = path as String] in
            CrashWatch.leaveNothing()
            CrashWatch.begin()
            CrashWatch.log(
                into: Path.join(path, "store/quarantine/log"),
                in: Path.join(path, "store/quarantine"), in: Path.join(path, "store"))
            let report = try OpenFile(creating: Path.join(path, "report"), mode: 0o600)
            CrashWatch.report(to: report.descriptor)
            let text = #"{"id":"users""#
            CrashWatch.expect("users", "Plugins/users.so", from: file, logEntry: text)
            try KeptRegistrations().load(file)
        }
        let log = String(
            decoding: try Files.read(folder.file("store/quarantine/log")), as: UTF8.self)
        #expect(log.hasPrefix(#"{"id":"users","signal":4,"process":"#))
        #expect(log.hasSuffix("}\n"))
        #expect(try FileStatus(path: folder.file("store/quarantine/log")).mode == 0o600)
        #expect(try FileStatus(path: folder.file("store/quarantine")).mode == 0o700)
        let report = String(decoding: try Files.read(folder.file("report")), as: UTF8.self)
        let lines = report.split(separator: "\n")
        #expect(lines.first == "crash 4" && lines.last == "end")
        // Three calls of `inner` and one of the entry point, then the loader in the program.
        let words = lines.dropFirst().dropLast().map { $0.split(separator: " ") }
        #expect(words.allSatisfy { $0.count == 4 && $0[0] == "frame" })
        #expect(words.prefix(5).map { $0[2] } == ["users", "users", "users", "users", "."])
        #expect(words.prefix(4).allSatisfy { $0[3] == file })
    }

    @Test("blames no module for a crash of the program itself")
    func ownCrash() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGABRT)) { [path = path as String] in
            CrashWatch.leaveNothing()
            CrashWatch.begin()
            CrashWatch.log(
                into: Path.join(path, "a/b/log"), in: Path.join(path, "a/b"),
                in: Path.join(path, "a"))
            abort()
        }
        #expect((try? FileStatus(path: folder.file("a"))) == nil)
    }

    @Test("blames no module for a crash of the program's code that the module has called")
    func crashOfHostFunction() async throws {
        let folder = try TemporaryFolder()
        let code = """
            int32_t eaves_register(const eaves_host *host) { host->log(host, 1, "x"); return 0; }
            """
        let file = try CModules.compile(code, in: folder)
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGABRT)) {
            [file = file as String, path = path as String] in
            CrashWatch.leaveNothing()
            CrashWatch.begin()
            CrashWatch.log(
                into: Path.join(path, "a/b/log"), in: Path.join(path, "a/b"),
                in: Path.join(path, "a"))
            CrashWatch.expect("users", "Plugins/users.so", from: file, logEntry: "{")
            try Loader.open(file).register(in: KeptRegistrations()) { _ in abort() }
        }
        #expect((try? FileStatus(path: folder.file("a"))) == nil)
    }

    @Test("reports an exit that was not announced, and no other", arguments: [true, false])
    func exits(isExpected: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        await #expect(processExitsWith: .exitCode(3)) {
            [path = path as String, isExpected = isExpected as Bool] in
            let report = try OpenFile(creating: Path.join(path, "report"), mode: 0o600)
            CrashWatch.begin()
            CrashWatch.report(to: report.descriptor)
            if isExpected { CrashWatch.expectExit() }
            exit(3)
        }
        let report = String(decoding: try Files.read(folder.file("report")), as: UTF8.self)
        #expect(report.contains("\nexit 3\n") == !isExpected)
    }
}
