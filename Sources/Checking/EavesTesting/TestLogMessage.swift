// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesInterface
import EavesLoader
import Synchronization

/// A message that a module logged in a test.
public struct TestLogMessage: Hashable, Sendable, CustomStringConvertible {
    /// The id of the module; `nil` for a factory of the test itself.
    public let module: String?
    /// How important the message is.
    public let level: LogLevel
    /// The text.
    public let text: String

    /// Creates the message that a test expects.
    ///
    /// - Parameters:
    ///   - module: The id of the module; `nil` for a factory of the test itself.
    ///   - level: How important the message is.
    ///   - text: The text.
    public init(module: String?, level: LogLevel, text: String) {
        self.module = module
        self.level = level
        self.text = text
    }

    /// The message as `eaves` prints it, such as `weather: warning: no wind`.
    public var description: String { (module.map { "\($0): " } ?? "") + "\(level): \(text)" }
}

/// Keeps the messages of one container.
final class KeptLog: Sendable {
    private let kept = Mutex<[TestLogMessage]>([])

    var messages: [TestLogMessage] { kept.withLock { $0 } }

    func add(_ module: String?, _ message: LogMessage) {
        let message = TestLogMessage(module: module, level: message.level, text: message.text)
        kept.withLock { $0.append(message) }
    }
}
