// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesTestSupport
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
                .tooManyMappings(65_530),
                "cannot be loaded: this process has 65530 mappings, and the system allows no more",
                "start the host again: the code of each file that it takes on stays in the process; or raise "
                    + "'vm.max_map_count' of the system", .temporary
            ),
            (
                .noStaticTLS,
                "its variables of threads ('thread_local', '__thread') need more static memory than this process "
                    + "has left",
                "compile it without '-ftls-model=initial-exec', start the host again, or start it with a greater "
                    + "'GLIBC_TUNABLES=glibc.rtld.optional_static_tls=BYTES'", .temporary
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
