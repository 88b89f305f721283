// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
import EavesInterface
import Synchronization
import Testing

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
