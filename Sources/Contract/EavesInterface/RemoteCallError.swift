// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A call of a service in another process has no answer of that service.
public struct RemoteCallError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason why there is no answer.
    public enum Reason: Hashable, Sendable {
        /// This signal ended the process, such as 11 for `SIGSEGV`.
        case killed(signal: Int32)
        /// The process ended with this exit code.
        case exited(code: Int32)
        /// The process has ended, and the way in which it did is unknown: other code of the host's process has taken
        /// its status, or lets the system drop the status of children.
        case ended
        /// The process did not answer within this time.
        case late(Duration)
        /// The process has ended several times, and is started again after this time. The text says how it has ended
        /// last, or why it could not be started.
        case resting(Duration, after: String)
        /// The process could not be started; the text says why.
        case notStarted(String)
        /// The host has ended the process, since another one has taken its place or the host stops.
        case stopped
        /// The service threw an error whose type the interface does not declare as `Codable`.
        case failed(type: String, description: String)
        /// The processes do not understand each other; the text says why.
        case misunderstood(String)
    }

    /// The id of the module whose service was called.
    public let module: String
    /// The reason why there is no answer.
    public let reason: Reason
    /// The function that was running when the process ended, such as `Database.open() + 24`; `nil` if that is unknown.
    public let frame: String?

    /// Creates an error.
    public init(module: String, reason: Reason, frame: String? = nil) {
        self.module = module
        self.reason = reason
        self.frame = frame
    }

    /// The name of a signal in manuals, such as `SIGILL`; `signal 42` for one without a name of its own.
    package static func name(ofSignal number: Int32) -> String {
        names[number] ?? "signal \(number)"
    }

    private static let names: [Int32: String] = [
        1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT",
        7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2",
        13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
    ]

    /// The reason, with the module.
    public var description: String {
        let place = frame.map { " in \($0)" } ?? ""
        let process = "the process of module '\(module)'"
        return switch reason {
        case .killed(let signal):
            "\(process) was ended by \(Self.name(ofSignal: signal))\(place)"
        case .exited(let code): "\(process) ended with exit code \(code)\(place)"
        case .ended: "\(process) has ended, and it is unknown how\(place)"
        case .late(let limit): "\(process) did not answer within \(limit)"
        case .resting(let pause, let last): "\(last); it is started again in \(pause)"
        case .notStarted(let reason): "\(process) could not be started: \(reason)"
        case .stopped: "\(process) was stopped"
        case .failed(_, let description): description
        case .misunderstood(let reason): "\(process) was not understood: \(reason)"
        }
    }
}
