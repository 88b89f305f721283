// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
@_spi(Generated) import EavesInterface
import EavesLoader

/// A feature of a module in a worker, as its host sees it. While it runs there, its console is the one of the launch.
struct RemoteFeature: ByteFeature {
    let handle: RemoteHandle
    let consoles: LentConsoles

    /// The qualified name of the service that all features are registered as.
    static let service = ServiceRequest((any Feature).self).qualifiedService

    func launch(_ launch: Launch) async throws -> ExitCode {
        // The worker may write where this process does.
        try launch.console.flush()
        let console = consoles.lend(launch.console)
        do {
            let request = LaunchRequest(launch, on: console.number)
            let arguments = WireWriter()
            try arguments.write(request)
            let code = try await handle.launch(arguments).read(UInt8.self)
            await consoles.end(console)
            return ExitCode(code)
        } catch {
            // The output of the feature stands before its error.
            await consoles.end(console)
            throw error
        }
    }
}

/// A launch, as it goes to the worker.
struct LaunchRequest: Codable, Sendable {
    let console: UInt64
    let isInteractive: Bool
    /// Whether the console is the standard output that the worker shares.
    let printsToOutput: Bool
    let arguments: [String]
    let feature: String?
    let summary: String

    init(_ launch: Launch, on console: UInt64) {
        self.console = console
        isInteractive = launch.console.isInteractive
        printsToOutput = (launch.console as? any PrintingConsole)?.isStandardOutput ?? false
        arguments = launch.arguments
        feature = launch.feature
        summary = launch.summary
    }

    /// Launches a feature in the worker, and returns when its output has reached the host.
    func run(_ feature: any Feature, calling host: CallPeer) async throws -> ExitCode {
        let console = RemoteConsole(self, of: host)
        let launch = Launch(
            arguments: arguments, feature: self.feature, summary: summary, console: console)
        do {
            // The thread that has received the call is none of those that tasks run on, where features begin.
            await TaskThreads.shared.enter()
            try launch.refuseBytes(for: feature)
            let code = try await feature.launch(launch)
            try console.end()
            return code
        } catch {
            // The error of the feature says more than that its output could not be written.
            try? console.end()
            throw error
        }
    }
}

extension WireFailure {
    /// The errors that a feature and its host know of each other, by the qualified names of their types.
    static let ofFeatures: [String: WireFailure] = [
        _typeName(ConsoleError.self, qualified: true): text(ConsoleError.init),
        _typeName(HelpRequest.self, qualified: true): text(HelpRequest.init),
        _typeName(ListenersError.self, qualified: true): text(ListenersError.init),
        _typeName(UsageError.self, qualified: true): WireFailure(
            UsageError.self,
            write: { error, writer in
                try writer.write(error.description)
                try writer.write(error.fix)
                try writer.write(error.unknown)
                try writer.write(error.known)
            },
            read: { reader in
                UsageError(
                    try reader.read(String.self), fix: try reader.read(String?.self),
                    unknown: try reader.read(String?.self), known: try reader.read([String].self))
            }),
    ]

    /// An error that is its words.
    private static func text<Failure: Error & CustomStringConvertible>(
        _ make: @escaping @Sendable (String) -> Failure
    ) -> WireFailure {
        WireFailure(
            Failure.self, write: { try $1.write($0.description) },
            read: { make(try $0.read(String.self)) })
    }
}
