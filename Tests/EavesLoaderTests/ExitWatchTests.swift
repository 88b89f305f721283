// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesLoader
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

/// The ways in which a module ends the process, each with the words of the log.
private let earlyExits: [(code: String, cause: String)] = [
    ("__attribute__((constructor)) void begin(void) { exit(0); }", #""exit":0,"#),
    ("int32_t eaves_register(const eaves_host *host) { exit(3); }", #""exit":3,"#),
    ("int32_t eaves_register(const eaves_host *host) { quick_exit(0); }", #""exit":-1,"#),
    (
        """
        static void *leave(void *unused) { exit(0); }
        int32_t eaves_register(const eaves_host *host) {
            pthread_t thread;
            pthread_create(&thread, 0, leave, 0);
            return pthread_join(thread, 0);
        }
        """, #""exit":0,"#
    ),
]

@Suite("Watching for exits", .promptly, .patiently)
struct ExitWatchTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path
    }

    @Test("reports an exit that was not announced, and no other", arguments: [true, false])
    func exits(isExpected: Bool) async throws {
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

    @Test("makes a failure of an exit while a module is loaded or registers", arguments: earlyExits)
    func exitWhileRegistering(code: String, cause: String) async throws {
        let headers = "#include <pthread.h>\n#include <stdlib.h>\n"
        let file = try CModules.compile(headers + code, in: folder)
        await #expect(processExitsWith: .exitCode(70)) {
            [file = file as String, path = path as String] in
            watch(file, in: path)
            try KeptRegistrations().load(file)
        }
        try folder.expectLog(#"{"id":"users","# + cause)
    }

    @Test("makes a failure of an exit while a module starts")
    func exitWhileStarting() async throws {
        let code = "int32_t eaves_register(const eaves_host *host) { return 0; }"
        let file = try CModules.compile(code, in: folder)
        await #expect(processExitsWith: .exitCode(70)) {
            [file = file as String, path = path as String] in
            watch(file, in: path)
            try KeptRegistrations().load(file)
            CrashWatch.firstRun(of: file, .start) { exit(0) }
        }
        try folder.expectLog(#"{"id":"users","exit":0,"#)
    }

    @Test("leaves an exit alone that comes after the registration, or from the program")
    func laterExit() async throws {
        let code = "int32_t eaves_register(const eaves_host *host) { return 0; }"
        let file = try CModules.compile(code, in: folder)
        await #expect(processExitsWith: .exitCode(4)) {
            [file = file as String, path = path as String] in
            watch(file, in: path)
            try KeptRegistrations().load(file)
            exit(4)
        }
        #expect((try? FileStatus(path: folder.file("a"))) == nil)
    }

    /// The handler that was there first stands for Swift's own backtrace: it takes its time, which is what this
    /// test is about. Without the watch, the exit of the first thread would be through before.
    @Test("lets no exit overtake a crash on another thread")
    func exitMeanwhile() async throws {
        let code = """
            #define _GNU_SOURCE
            #include <poll.h>
            #include <pthread.h>
            #include <semaphore.h>
            #include <signal.h>
            #include <unistd.h>
            static sem_t begun;
            static void former(int number) {
                sem_post(&begun);
                poll(0, 0, 50);
                signal(number, SIG_DFL);
                raise(number);
            }
            __attribute__((constructor)) static void begin(void) {
                sem_init(&begun, 0, 0);
                signal(SIGSEGV, former);
            }
            static void *crash(void *unused) { *(volatile int *)8 = 1; return 0; }
            int32_t eaves_register(const eaves_host *host) {
                pthread_t thread;
                pthread_create(&thread, 0, crash, 0);
                while (sem_wait(&begun)) {}
                return 0;
            }
            """
        let file = try CModules.compile(code, in: folder)
        await #expect(processExitsWith: .signal(SIGSEGV)) {
            [file = file as String, path = path as String] in
            let module = try Loader.open(file)
            watch(file, in: path)
            try module.register(in: KeptRegistrations()) { _ in }
            exit(0)
        }
        try folder.expectLog(#"{"id":"users","signal":11,"#)
    }
}
