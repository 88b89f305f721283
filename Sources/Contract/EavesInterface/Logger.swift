// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Writes messages of one module to the host's log.
///
/// The host provides a logger to every factory, with the id of the factory's module:
///
/// ```swift
/// struct Forecast: WeatherService {
///     @Injected var logger: Logger
///
///     func weather(in city: String) async throws -> Weather {
///         logger.debug("asking for \(city)")
///         …
///     }
/// }
/// ```
///
/// `resolver.resolve(Logger.self)` gives the same in a factory; `module.json` need not declare it. Keep
/// the logger that the factory got: asked for elsewhere, it has the id of no module.
///
/// `eaves` prints messages on standard error, behind the module's id: warnings and errors always, the
/// others with `-v`. The text of a message that the host drops is not made. Safe from any thread.
public struct Logger: Sendable {
    /// The id of the module that logs; `nil` for the program itself.
    public let module: String?
    /// The lowest level that the host takes.
    public let level: LogLevel
    private let write: @Sendable (LogLevel, String) -> Void

    /// Creates a logger. Hosts and tests call this; modules get theirs from the host.
    ///
    /// - Parameters:
    ///   - module: The id of the module that logs; `nil` for the program itself.
    ///   - level: The lowest level that is written.
    ///   - write: A function that writes a message. Called on any thread, possibly on several at once.
    public init(
        module: String? = nil, level: LogLevel = .debug,
        write: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.module = module
        self.level = level
        self.write = write
    }

    /// Writes a message, unless its level is below the one that the host takes.
    ///
    /// - Parameters:
    ///   - level: How important the message is.
    ///   - message: The text, which is made only if it is written. It may have several lines.
    public func log(_ level: LogLevel, _ message: @autoclosure () -> String) {
        if level >= self.level { write(level, message()) }
    }

    /// Writes a message for those who look for a mistake.
    public func debug(_ message: @autoclosure () -> String) {
        log(.debug, message())
    }

    /// Writes a message about what is being done.
    public func info(_ message: @autoclosure () -> String) {
        log(.info, message())
    }

    /// Writes a message about something that is wrong, after which the module goes on.
    public func warning(_ message: @autoclosure () -> String) {
        log(.warning, message())
    }

    /// Writes a message about something that failed.
    public func error(_ message: @autoclosure () -> String) {
        log(.error, message())
    }
}

/// The importance of a log message. The numbers are those of `eaves.h`.
public enum LogLevel: Int32, Comparable, CaseIterable, Sendable, CustomStringConvertible {
    /// For those who look for a mistake.
    case debug = 0
    /// A step of the work.
    case info = 1
    /// Something is wrong, and the module goes on.
    case warning = 2
    /// Something failed.
    case error = 3

    /// Whether a level is less important than another one.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The level's name, such as `warning`.
    public var description: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }
}
