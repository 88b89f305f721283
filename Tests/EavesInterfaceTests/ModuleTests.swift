// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
import EavesInterface
import Synchronization
import Testing

@Suite("the entry point")
struct EntryPointTests {
    private enum Good: Module {
        static func register(in registrar: any Registrar) throws {
            registrar.register(Int.self) { _ in 1 }
        }
    }

    private enum Bad: Module {
        static func register(in registrar: any Registrar) throws { throw Broken() }
    }

    /// The reason that a module gave, which a C function cannot return.
    private static let reason = Mutex<String?>(nil)

    private func run(_ module: any Module.Type, _ registrar: KeepingRegistrar) -> Int32 {
        var registrar: any Registrar = registrar
        return withUnsafeMutablePointer(to: &registrar) { pointer in
            var host = eaves_host(
                abi_version: UInt32(EAVES_ABI_VERSION), size: UInt32(MemoryLayout<eaves_host>.size),
                registrar: UnsafeMutableRawPointer(pointer),
                register_feature: { _, _ in 1 },
                fail: { _, message in
                    let text = String(cString: message)
                    EntryPointTests.reason.withLock { $0 = text }
                },
                log: { _, _, _ in }, settings: { _ in fatalError("not asked for") },
                path: { _, _ in fatalError("not asked for") },
                register_lifecycle: { _, _ in fatalError("not asked for") })
            return EavesInterface.register(module, with: &host)
        }
    }

    @Test("registers the module with the host's registrar, and passes on its error")
    func register() {
        let registrar = KeepingRegistrar()
        #expect(run(Good.self, registrar) == 0)
        #expect(registrar.kept.map(\.request) == [ServiceRequest(Int.self)])
        #expect(Self.reason.withLock { $0 } == nil)
        #expect(run(Bad.self, registrar) == 1)
        #expect(registrar.kept.count == 1)
        #expect(Self.reason.withLock { $0 } == "it is broken")
    }
}

@Suite("A life cycle")
struct LifecycleTests {
    private struct Nothing: Lifecycle {}

    @Test("starts, stops and is healthy unless the module says otherwise")
    func defaults() throws {
        let nothing: any Lifecycle = Nothing()
        try nothing.start(MinimalResolver { _ throws(ResolutionError) in 1 })
        #expect(try nothing.isHealthy)
        try nothing.stop()
        #expect(!(nothing is any StateHandover))
    }
}

@Suite("a logger")
struct LoggerTests {
    private final class Lines: Sendable {
        private let kept = Mutex<[String]>([])
        var all: [String] { kept.withLock { $0 } }

        func add(_ level: LogLevel, _ text: String) {
            kept.withLock { $0.append("\(level): \(text)") }
        }
    }

    @Test("writes messages of its level and above, and does not make the others")
    func levels() {
        let lines = Lines()
        let counter = Counter()
        func text() -> String { "text \(counter.next())" }
        let logger = Logger(module: "weather", level: .warning) { lines.add($0, $1) }
        logger.debug(text())
        logger.info(text())
        logger.warning(text())
        logger.error(text())
        logger.log(.info, text())
        logger.log(.error, text())
        #expect(lines.all == ["warning: text 1", "error: text 2", "error: text 3"])
        #expect(counter.count == 3)
        #expect(logger.module == "weather")
    }

    @Test("takes everything unless it is told otherwise")
    func everything() {
        let lines = Lines()
        let logger = Logger { lines.add($0, $1) }
        for level in LogLevel.allCases { logger.log(level, "x") }
        #expect(lines.all == ["debug: x", "info: x", "warning: x", "error: x"])
        #expect(logger.module == nil)
    }

    @Test("has the levels of the C header")
    func numbers() {
        #expect(LogLevel.debug.rawValue == EAVES_LOG_DEBUG)
        #expect(LogLevel.info.rawValue == EAVES_LOG_INFO)
        #expect(LogLevel.warning.rawValue == EAVES_LOG_WARNING)
        #expect(LogLevel.error.rawValue == EAVES_LOG_ERROR)
        #expect(LogLevel.allCases == LogLevel.allCases.sorted())
    }
}
