// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesTestSupport
import Testing

@testable import EavesLoader

@Suite("The life cycle of a module in C", .onOwnThreads, .patiently)
struct CLifecycleTests {
    private let folder: TemporaryFolder
    private let registrar = KeptRegistrations()

    init() throws { folder = try TemporaryFolder() }

    /// A counter whose life cycle has every function.
    private static let counter = """
        #include <stdlib.h>
        struct counter { int number; int started; };
        static int32_t start(void *state, const eaves_answer *answer) {
            struct counter *counter = state;
            if (counter->number < 0) { answer->fail(answer, "the number is negative"); return 0; }
            if (counter->number == 66) return 7;
            counter->started = 1;
            return 0;
        }
        static int32_t stop(void *state, const eaves_answer *answer) {
            ((struct counter *)state)->started = 0;
            return 0;
        }
        static int32_t is_healthy(void *state, const eaves_answer *answer) {
            struct counter *counter = state;
            if (counter->number > 1000) answer->fail(answer, "the number is too large");
            return counter->number == 13 ? 2 : counter->number != 12;
        }
        static int32_t snapshot(void *state, const eaves_answer *answer) {
            struct counter *counter = state;
            answer->write(answer, "#", 1);
            answer->write(answer, 0, 0);
            answer->write(answer, &counter->number, sizeof counter->number);
            return answer->size == sizeof *answer ? 0 : 1;
        }
        static int32_t restore(void *state, const void *bytes, uint64_t count,
                               const eaves_answer *answer) {
            if (count == 0) return bytes ? 3 : 4;
            if (count != 5) { answer->fail(answer, "expected 5 bytes"); return 1; }
            __builtin_memcpy(&((struct counter *)state)->number, (const char *)bytes + 1, 4);
            return 0;
        }
        static int destroyed;
        static void destroy(void *state) { free(state); ++destroyed; }
        """

    private func lifecycle(_ fields: String = "start, stop, is_healthy, snapshot, restore, destroy")
        throws -> any Lifecycle
    {
        try load(
            """
            eaves_lifecycle lifecycle = {sizeof lifecycle, calloc(1, 8), \(fields)};
            return host->register_lifecycle(host, &lifecycle);
            """)
        return try #require(registrar.lifecycles.first)
    }

    private func load(_ body: String, shown table: HostTable = .current) throws {
        let code = "\(Self.counter)\nint32_t eaves_register(const eaves_host *host) { \(body) }"
        try registrar.load(CModules.compile(code, in: folder), shown: table)
    }

    private func bytes(_ number: Int32) -> [UInt8] {
        [UInt8(ascii: "#")] + withUnsafeBytes(of: number) { Array($0) }
    }

    @Test("starts, stops, tells its health, and hands over its state")
    func whole() throws {
        let lifecycle = try #require(try lifecycle() as? any StateHandover)
        try lifecycle.start(NoServices())
        #expect(try lifecycle.isHealthy)
        #expect(try lifecycle.snapshot() == bytes(0))
        try lifecycle.restore(bytes(12))
        #expect(try lifecycle.snapshot() == bytes(12))
        #expect(try !lifecycle.isHealthy)
        try lifecycle.restore(bytes(13))
        #expect(try !lifecycle.isHealthy, "only 1 is healthy")
        try lifecycle.stop()
    }

    @Test("fails with the reason that it gives, or with the number that it returns")
    func failures() throws {
        let lifecycle = try #require(try lifecycle() as? any StateHandover)
        func expect(_ words: String, _ call: () throws -> Void) {
            #expect(throws: CLifecycleError(description: words)) { try call() }
        }
        expect("expected 5 bytes") { try lifecycle.restore([1, 2]) }
        expect("restore returned 4 and gave no reason") { try lifecycle.restore([]) }
        try lifecycle.restore(bytes(-1))
        expect("the number is negative") { try lifecycle.start(NoServices()) }
        try lifecycle.restore(bytes(66))
        expect("start returned 7 and gave no reason") { try lifecycle.start(NoServices()) }
        try lifecycle.restore(bytes(1001))
        expect("the number is too large") { _ = try lifecycle.isHealthy }
    }

    @Test("functions that are NULL do nothing, and without a snapshot there is no state")
    func absent() throws {
        let lifecycle = try lifecycle("0, 0, 0, 0, 0, 0")
        #expect(!(lifecycle is any StateHandover))
        try lifecycle.start(NoServices())
        #expect(try lifecycle.isHealthy)
        try lifecycle.stop()
    }

    @Test("is destroyed once, when the host drops it")
    func destroys() throws {
        let code = """
            \(Self.counter)
            int32_t eaves_register(const eaves_host *host) {
                eaves_lifecycle lifecycle = {sizeof lifecycle, calloc(1, 8), .destroy = destroy};
                return destroyed * 10 + host->register_lifecycle(host, &lifecycle);
            }
            """
        let module = try Loader.open(CModules.compile(code, in: folder))
        try module.register(in: registrar) { _ in }
        registrar.drop()
        #expect(throws: LoadError.refused(message: nil, code: 10)) {
            try module.register(in: registrar) { _ in }
        }
    }

    @Test(
        "a life cycle that lacks something, or a second one, refuses the registration",
        arguments: [
            (
                "eaves_lifecycle given = {63};",
                "eaves_lifecycle.size: expected at least 64, found 63"
            ),
            (
                "eaves_lifecycle given = {sizeof given, .snapshot = snapshot};",
                "eaves_lifecycle: restore is NULL, and snapshot is not"
            ),
            (
                "eaves_lifecycle given = {sizeof given, .restore = restore};",
                "eaves_lifecycle: snapshot is NULL, and restore is not"
            ),
            (
                "eaves_lifecycle given = {sizeof given}; host->register_lifecycle(host, &given);",
                "register_lifecycle is called twice, and a module has one life cycle"
            ),
        ])
    func refused(making: String, message: String) throws {
        #expect(throws: LoadError.refused(message: message, code: 0)) {
            try load("\(making) return host->register_lifecycle(host, &given) == 1 ? 0 : 9;")
        }
    }

    @Test("a life cycle of a later header, which is larger, is taken")
    func larger() throws {
        try load(
            """
            struct { eaves_lifecycle lifecycle; long more; } later = {{sizeof later}, 1};
            return host->register_lifecycle(host, &later.lifecycle);
            """)
        #expect(registrar.lifecycles.count == 1)
    }

    @Test("a host that accepts nothing says so")
    func refusingHost() throws {
        let refused = LoadError.refused(message: "this host accepts no life cycle", code: 4)
        #expect(throws: refused) {
            try load(
                """
                eaves_lifecycle given = {sizeof given};
                return host->register_lifecycle(host, &given) == 1 ? 4 : 0;
                """, shown: .refusing)
        }
    }
}
