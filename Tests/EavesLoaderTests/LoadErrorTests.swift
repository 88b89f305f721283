// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesTestSupport
import Glibc
import Synchronization
import Testing

@testable import EavesLoader

@Suite("Errors of loading", .onOwnThreads)
struct LoadErrorTests {
    @Test(
        "are told from the dynamic linker's messages",
        arguments: [
            ("/a.so: undefined symbol: one", .undefinedSymbol("one")),
            ("/a.so: undefined symbol: one, version TWO_2.0", .undefinedSymbol("one")),
            ("/a.so: undefined symbol: $s1a1bSSvp (/a.so)", .undefinedSymbol("$s1a1bSSvp")),
            (
                "libghost.so.1: cannot open shared object file: No such file or directory",
                .missingLibrary("libghost.so.1")
            ),
            (
                "/a.so: cannot open shared object file: No such file or directory",
                .notLoadable("cannot open shared object file: No such file or directory")
            ),
            ("/a.so: cannot allocate memory in static TLS block", .noStaticTLS),
            ("/a.so: invalid ELF header", .notLoadable("invalid ELF header")),
            ("/other.so: file too short", .notLoadable("/other.so: file too short")),
            ("out of memory", .notLoadable("out of memory")),
        ] as [(String, LoadError)])
    func linkerMessages(message: String, expected: LoadError) {
        #expect(LoadError(linkerMessage: message, file: "/a.so") == expected)
    }

    @Test(
        "say what is wrong, how to correct it, and with which exit code",
        arguments: [
            (
                .undefinedSymbol("one"),
                "needs 'one', which neither this host nor a loaded library has",
                "rebuild it with 'eaves build' against this host's interface, or link the library "
                    + "that has it", .incompatible
            ),
            (
                .undefinedSymbol("$sSS5countSivg"),
                "needs 'Swift.String.count.getter : Swift.Int', which neither this host nor a "
                    + "loaded library has",
                "rebuild it with 'eaves build' against this host's interface, or link the library "
                    + "that has it", .incompatible
            ),
            (
                .missingLibrary("libghost.so"),
                "needs the library 'libghost.so', which is not on this machine",
                "install 'libghost.so', or add its folder to LD_LIBRARY_PATH", .incompatible
            ),
            (
                .noEntryPoint, "expected an exported function 'eaves_register', found none",
                "add an entry point, as Documentation/WritingAModule.md shows", .badData
            ),
            (
                .refused(message: "no licence", code: 1), "refused to register: no licence",
                "correct what the module reports, or switch the module off with "
                    + "'eaves disable users'", .badData
            ),
            (
                .refused(message: nil, code: -7),
                "refused to register, with code -7 and no message",
                "ask its author, or switch the module off with 'eaves disable users'", .badData
            ),
            (
                .exhausted(ProcessRoom(.mappings, used: 65_520, of: 65_530)),
                "cannot be loaded: 65520 of the 65530 mappings that this process may have are in use, and the rest is "
                    + "for the program itself",
                "start the host again: each file that it takes on keeps some; or raise 'vm.max_map_count' of the system",
                .temporary
            ),
            (
                .exhausted(ProcessRoom(.descriptors, used: 80, of: 96)),
                "cannot be loaded: 80 of the 96 descriptors that this process may have are in use, and the rest is for "
                    + "the program itself",
                "start the host again: each file that it takes on keeps some; or raise 'ulimit -n'",
                .temporary
            ),
            (
                .noStaticTLS,
                "its variables of threads ('thread_local', '__thread') need more than is left of the static memory for "
                    + "all files that a process loads, 1728 bytes",
                "start the host again, or compile the module with '-ftls-model=global-dynamic' and without the attribute "
                    + "'tls_model', or start the host with a greater "
                    + "'GLIBC_TUNABLES=glibc.rtld.optional_static_tls=BYTES'", .temporary
            ),
            (
                .notLoadable("cannot allocate memory for thread-local data"),
                "the dynamic linker refuses it: cannot allocate memory for thread-local data",
                "end other programs, or start the host again", .badData
            ),
            (
                .notLoadable("invalid ELF header"),
                "the dynamic linker refuses it: invalid ELF header",
                "rebuild the module for this machine", .badData
            ),
        ] as [(LoadError, String, String, FailureCode)])
    func words(error: LoadError, message: String, fix: String, code: FailureCode) {
        #expect(error.diagnostic(of: "users") == Diagnostic(message, fix: fix, code: code))
    }
}

@Suite("What a process has room for", .promptly)
struct ProcessRoomTests {
    @Test(
        "is low when an eighth is left, or sixteen",
        arguments: [
            (.descriptors, 0, 1024, false), (.descriptors, 895, 1024, false),
            (.descriptors, 896, 1024, true), (.descriptors, 1024, 1024, true),
            (.descriptors, 79, 96, false), (.descriptors, 80, 96, true), (.descriptors, 0, 9, true),
            (.mappings, 57_338, 65_530, false), (.mappings, 57_339, 65_530, true),
        ] as [(ProcessRoom.Kind, Int, Int, Bool)])
    func low(kind: ProcessRoom.Kind, used: Int, limit: Int, isLow: Bool) {
        #expect(ProcessRoom(kind, used: used, of: limit).isLow == isLow)
    }

    /// Runs in a process of its own, whose limits it sets.
    @Test(
        "are descriptors up to the hard limit, while the soft one stays, and half of those below it"
    )
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            func limit(_ soft: rlim_t, _ hard: rlim_t) {
                var limit = rlimit(rlim_cur: soft, rlim_max: hard)
                #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            }
            limit(64, 256)
            var copies = try (0..<100).map { _ in try PrivateCopy([1], id: "a") }
            #expect(copies.contains { $0.descriptor < 32 })
            #expect(copies.contains { $0.descriptor >= 64 })
            #expect(copies.allSatisfy { $0.descriptor < 32 || $0.descriptor >= 64 })
            #expect(ProcessRoom.shortage() == nil)
            #expect(system("test $(ulimit -Sn) = 64") == 0)
            var status: Int32 = 0
            #expect(waitpid(-1, &status, __WALL) == -1 && errno == ECHILD)
            copies += try (0..<120).map { _ in try PrivateCopy([1], id: "a") }
            ProcessRoom.passedOver.withLock { $0 = 0 }
            let room = ProcessRoom.shortage()
            #expect(room?.kind == .descriptors && room?.limit == 256)
            limit(64, 64)
            #expect(ProcessRoom.shortage()?.limit == 64)
        }
    }
}
