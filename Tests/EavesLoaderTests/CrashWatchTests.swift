// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesLoader
import EavesProcess
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

extension CrashWatch {
    /// Logs into a file in a folder of a store; the folder that holds the store is opened.
    fileprivate static func log(into file: String, patience: Duration = .seconds(5)) {
        let folder = Path.parent(of: file)
        let store = Path.parent(of: folder)
        let project = open(Path.parent(of: store), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        log(
            into: Path.name(of: file), Path.name(of: folder), Path.name(of: store), of: project,
            patience: patience)
    }
}

/// Announces a module in a process that logs for the quarantine.
func watch(_ file: String, in path: String, patience: Duration = Patience.limit) {
    CrashWatch.leaveNothing()
    CrashWatch.begin()
    CrashWatch.log(into: Path.join(path, "a/b/log"), patience: patience)
    CrashWatch.expect("users", "Plugins/users.so", from: file, logEntry: "{\"id\":\"users\"")
}

extension TemporaryFolder {
    /// Expects that the log begins with these words.
    func expectLog(_ words: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let log = String(decoding: try Files.read(file("a/b/log")), as: UTF8.self)
        #expect(log.hasPrefix(words), "\(log)", sourceLocation: sourceLocation)
    }
}

@Suite("Watching for crashes", .promptly, .patiently)
struct CrashWatchTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path
    }

    @Test("logs and reports which module's code a crash was in, and dies of the signal")
    func crash() async throws {
        let code = """
            static int32_t inner(int32_t depth) {
                if (depth == 0) __builtin_trap();
                return inner(depth - 1) + 1;
            }
            int32_t eaves_register(const eaves_host *host) { return inner(2) + 1; }
            """
        let file = try CModules.compile(code, in: folder, ["-O0", "-fno-omit-frame-pointer"])
        await #expect(processExitsWith: .signal(SIGILL)) {
            [file = file as String, path = path as String] in
            CrashWatch.leaveNothing()
            CrashWatch.begin()
            CrashWatch.log(into: Path.join(path, "store/quarantine/log"))
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
        #expect(lines.dropFirst().first == "blame users")
        let words = lines.dropFirst(2).dropLast().map { $0.split(separator: " ") }
        #expect(words.allSatisfy { $0.count == 4 && $0[0] == "frame" })
        #expect(words.prefix(5).map { $0[2] } == ["users", "users", "users", "users", "."])
        #expect(words.prefix(4).allSatisfy { $0[3] == file })
        // The place of a caller is inside of its call, which may be the last instruction of its function.
        let call = try #require(Int(words[1][1], radix: 16))
        #if arch(x86_64)
            #expect(try Files.read(file)[call - 4] == 0xe8)
        #else
            #expect(call % 4 == 3)
        #endif
    }

    /// The functions of a module that use up a stack, and whether a thread of Swift's pool calls them.
    static let overflows = [
        ("here", false), ("here", true), ("thread", false), ("library", false), ("host", false),
    ]

    @Test("blames the module that uses up a stack, on any thread", arguments: overflows.indices)
    func overflow(index: Int) async throws {
        let code = """
            #include <dlfcn.h>
            #include <pthread.h>
            typedef int call(int);
            int deeper(volatile int n) { volatile int room[50]; room[n & 1] = n; return deeper(n + 1) + room[0]; }
            static void *begin(void *unused) { return (void *)(long)deeper(0); }
            int here(const char *file, call *own) { return deeper(0); }
            int thread(const char *file, call *own) {
                pthread_t thread;
                return pthread_create(&thread, 0, begin, 0) + pthread_join(thread, 0);
            }
            int library(const char *file, call *own) { return ((call *)dlsym(dlopen(file, RTLD_NOW), "deeper"))(0); }
            int host(const char *file, call *own) { volatile int n = own(1); return host(file, own) + n; }
            int32_t eaves_register(const eaves_host *host) { return 0; }
            """
        let library = try CModules.compile(code, to: "library.so", in: folder)
        let file = try CModules.compile(code, in: folder)
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            [
                file = file as String, library = library as String, path = path as String,
                index = index as Int
            ] in
            watch(file, in: path)
            try KeptRegistrations().load(file)
            let (name, isOnPool) = CrashWatchTests.overflows[index]
            @Sendable func call() {
                typealias Call = @convention(c) (Int32) -> Int32
                typealias Function = @convention(c) (UnsafePointer<CChar>, Call) -> Int32
                guard let symbol = dlsym(dlopen(file, RTLD_NOW), name) else { return }
                // SAFETY: all functions of the module above have this type.
                _ = unsafeBitCast(symbol, to: Function.self)(library) { number in
                    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 16) {
                        $0.initializeMemory(as: Int32.self, repeating: number)[7]
                    }
                }
            }
            if isOnPool { await Task.detached { call() }.value } else { call() }
        }
        try folder.expectLog(#"{"id":"users","signal":11,"#)
    }

    @Test("blames no module for a crash of the program itself")
    func ownCrash() async throws {
        await #expect(processExitsWith: .signal(SIGABRT)) { [path = path as String] in
            CrashWatch.leaveNothing()
            CrashWatch.begin()
            CrashWatch.log(into: Path.join(path, "a/b/log"))
            abort()
        }
        #expect((try? FileStatus(path: folder.file("a/b/log"))) == nil)
    }

    @Test("blames no module for a crash of the program's code that the module has called")
    func crashOfHostFunction() async throws {
        let code = """
            int32_t eaves_register(const eaves_host *host) { host->log(host, 1, "x"); return 0; }
            """
        let file = try CModules.compile(code, in: folder)
        await #expect(processExitsWith: .signal(SIGABRT)) {
            [file = file as String, path = path as String] in
            CrashWatch.leaveNothing()
            CrashWatch.begin()
            CrashWatch.log(into: Path.join(path, "a/b/log"))
            CrashWatch.expect("users", "Plugins/users.so", from: file, logEntry: "{")
            try Loader.open(file).register(in: KeptRegistrations()) { _ in abort() }
        }
        #expect((try? FileStatus(path: folder.file("a/b/log"))) == nil)
    }

    /// A file system that lies over another one may show another inode in the memory map than `stat` does.
    @Test("finds the module by the name of its file if the inode is another one")
    func otherInode() async throws {
        let code = "void abort(void); int32_t eaves_register(const eaves_host *host) { abort(); }"
        let file = try CModules.compile(code, to: "users@1.so", in: folder)
        let other = try CModules.compile(code, to: "other.so", in: folder)
        await #expect(processExitsWith: .signal(SIGABRT)) {
            [file = file as String, other = other as String, path = path as String] in
            CrashWatch.leaveNothing()
            CrashWatch.begin()
            CrashWatch.log(into: Path.join(path, "a/b/log"))
            CrashWatch.expect(
                "users", "Plugins/users.so", from: other, named: "users@1.so",
                logEntry: "{\"id\":\"users\"")
            CrashWatch.expect("others", "Plugins/others.so", from: other, logEntry: "{")
            try KeptRegistrations().load(file)
        }
        try folder.expectLog(#"{"id":"users","signal":6,"#)
    }

    @Test("names the generation and the feature that was launched last")
    func generation() async throws {
        let code = "void abort(void); int32_t eaves_register(const eaves_host *host) { abort(); }"
        let file = try CModules.compile(code, in: folder)
        await #expect(processExitsWith: .signal(SIGABRT)) {
            [file = file as String, path = path as String] in
            watch(file, in: path)
            CrashWatch.number(6, file)
            CrashWatch.number(7, file)
            CrashWatch.number(8, "/nowhere")
            let first = CrashWatch.beginLaunch(of: "first", json: #""first""#)
            let second = CrashWatch.beginLaunch(of: #"a "b""#, json: #""a \"b\"""#)
            let third = CrashWatch.beginLaunch(of: "third", json: #""third""#)
            CrashWatch.endLaunch(first)
            CrashWatch.endLaunch(third)
            defer { CrashWatch.endLaunch(second) }
            try KeptRegistrations().load(file)
        }
        try folder.expectLog(#"{"id":"users","generation":7,"feature":"a \"b\"","signal":6,"#)
    }

    /// The dynamic linker calls the initialiser that the file names, at an address without code.
    @Test("blames the module that was being loaded for a crash in the dynamic linker")
    func linker() async throws {
        let code = "int32_t eaves_register(const eaves_host *host) { return 0; }"
        let file = try CModules.compile(
            code, in: folder, ["-nostdlib", "-Wl,--defsym=nowhere=0x7ffffff0", "-Wl,-init=nowhere"])
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            [file = file as String, path = path as String] in
            watch(file, in: path)
            try KeptRegistrations().load(file)
        }
        try folder.expectLog(#"{"id":"users","signal":11,"#)
    }

    /// The module goes on when its own message has appeared: it waits for that and for nothing else.
    @Test("names a module that takes long to register while it does, and lets it go on")
    func delay() async throws {
        let code = """
            #include <poll.h>
            #include <string.h>
            #include <unistd.h>
            int32_t eaves_register(const eaves_host *host) {
                int ends[2];
                if (pipe(ends) || dup2(ends[1], 2) < 0) return 1;
                char text[4096];
                size_t length = 0;
                while (!memchr(text, '\\n', length)) {
                    ssize_t count = read(ends[0], text + length, sizeof text - length);
                    if (count <= 0) return 2;
                    length += count;
                }
                return !memmem(text, length, "users: has been registering for 20 ms", 37);
            }
            """
        let file = try CModules.compile(
            "#define _GNU_SOURCE\n" + code, in: folder, ["-D_GNU_SOURCE"])
        await #expect(processExitsWith: .success) {
            [file = file as String, path = path as String] in
            watch(file, in: path, patience: .milliseconds(20))
            try KeptRegistrations().load(file)
        }
    }

    /// What others have made of the log's place, and the file that must stay as it is.
    static let traps: [(name: String, script: String, victim: String)] = [
        ("the store is a link", "mkdir -p v/b; touch v/b/log; ln -s v a", "v/b/log"),
        ("the folder is a link", "mkdir -p a v; touch v/log; ln -s ../v a/b", "v/log"),
        ("the log is a link", "mkdir -p a/b; touch v; ln -s ../../v a/b/log", "v"),
        ("the log is a hard link", "mkdir -p a/b; touch v; ln v a/b/log", "v"),
        ("all can write the store", "mkdir -p a/b; touch a/b/log; chmod 777 a", "a/b/log"),
        ("all can write the folder", "mkdir -p a/b; touch a/b/log; chmod 1777 a/b", "a/b/log"),
        ("all can write the log", "mkdir -p a/b; touch a/b/log; chmod 666 a/b/log", "a/b/log"),
    ]

    @Test("writes no log where others could have changed it", arguments: traps.indices)
    func trap(index: Int) async throws {
        let (_, script, victim) = Self.traps[index]
        let file = try CModules.compile(
            "void abort(void); int32_t eaves_register(const eaves_host *host) { abort(); }",
            in: folder)
        let made = try ChildPool.run(
            ChildCommand("/bin/sh", ["-c", "umask 022; cd '\(path)' && \(script)"]))
        #expect(made.ending.isSuccess)
        await #expect(processExitsWith: .signal(SIGABRT)) {
            [file = file as String, path = path as String] in
            watch(file, in: path)
            try KeptRegistrations().load(file)
        }
        #expect(try FileStatus(path: folder.file(victim)).size == 0)
    }

    /// The place of the log is the folder that was open before the module was loaded.
    @Test("logs into the folder that was opened, whatever has its name now")
    func exchanged() async throws {
        let code = """
            #include <stdio.h>
            #include <stdlib.h>
            #include <sys/stat.h>
            int32_t eaves_register(const eaves_host *host) {
                rename("PLACE/project", "PLACE/moved");
                mkdir("PLACE/project", 0700);
                abort();
            }
            """
        try Files.createFolder(folder.file("project"), mode: 0o700)
        let file = try CModules.compile(
            code.split(separator: "PLACE", omittingEmptySubsequences: false)
                .joined(separator: path), in: folder)
        await #expect(processExitsWith: .signal(SIGABRT)) {
            [file = file as String, path = path as String] in
            watch(file, in: Path.join(path, "project"))
            try KeptRegistrations().load(file)
        }
        #expect(try FileStatus(path: folder.file("moved/a/b/log")).size > 0)
        #expect((try? FileStatus(path: folder.file("project/a"))) == nil)
    }
}
