// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface
import Synchronization

/// Leads to the other end of a channel.
protocol CallRoute: Sendable {
    /// The end of the channel on this side. Waits while there is none, but will be one.
    ///
    /// - Throws: `RemoteCallError` if there is none.
    func peer() async throws -> CallPeer

    /// The end of the channel as it is; `nil` for none.
    var present: CallPeer? { get }
}

/// An instance in another process, which generated code calls. The other process creates it when it is first called, and
/// anew if it was started again meanwhile.
final class RemoteHandle: RemoteInstance {
    private static let last = Atomic<UInt64>(0)

    private let name: RemoteName
    private let route: any CallRoute

    /// - Parameters:
    ///   - service: The service's qualified name.
    ///   - name: The name of the implementation.
    init(_ service: String, named name: String?, over route: any CallRoute) {
        let number = Self.last.add(1, ordering: .relaxed).newValue
        self.name = RemoteName(number: number, service: service, name: name)
        self.route = route
    }

    deinit { route.present?.forget(name.number) }

    func call(_ requirement: Int, _ arguments: WireWriter) async throws -> WireReader {
        try await route.peer().call(name, requirement, arguments)
    }

    /// Launches the feature that the instance is.
    func launch(_ arguments: WireWriter) async throws -> WireReader {
        try await route.peer().call(name, 0, arguments, isLaunch: true)
    }

    func stream(
        _ requirement: Int, _ arguments: WireWriter
    ) async throws -> @Sendable () async throws -> WireReader? {
        let reader = StreamReader(try await route.peer().stream(name, requirement, arguments))
        return { try await reader.stream.next() }
    }

    /// Ends the stream when its last reader is gone.
    private final class StreamReader: Sendable {
        let stream: RemoteStream

        init(_ stream: RemoteStream) {
            self.stream = stream
            stream.begin()
        }

        deinit { stream.leave() }
    }
}
