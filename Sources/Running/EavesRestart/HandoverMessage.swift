// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
import EavesInterface

/// A message between a process that serves and the one that takes over.
///
///     serving process                successor
///     prepare                   →
///                               ←    prepared     its modules are loaded, restored and started
///     rehearse                  →                 if there are sockets to take calls on
///                               ←    rehearsed    its feature has begun, and waits for its sockets
///     begin                     →                 the old feature has ended, and this is the state that it has left
///                               ←    ready        its feature takes calls
///     released                  →                 the old process is done
///
/// The end of the connection before that means that the other process is gone.
enum HandoverMessage: Hashable, Sendable, Codable {
    case prepare(Preparation)
    case prepared
    /// The feature may begin, and gets no sockets yet.
    case rehearse
    case rehearsed
    /// The feature may take calls, with this state.
    case begin(state: HandedState)
    case ready
    case released

    /// The things that a successor needs before it can take over.
    struct Preparation: Hashable, Sendable, Codable {
        /// The modules that serve, by their ids.
        var modules: [String]
        /// The state before the old feature has ended: what reads it can restore the last one, too.
        var state: HandedState
        /// Whether the feature says when it is ready.
        var saysReady: Bool
    }
}

// A message is the number of its bytes, lowest first, and then the message as a wire value.
extension HandoverMessage {
    /// The size of the number in front of a message.
    static let headSize = 8
    /// The most bytes of a message.
    private static let mostBytes: UInt64 = 1 << 32

    var bytes: [UInt8] {
        get throws {
            let writer = WireWriter()
            try writer.write(self)
            let body = writer.bytes
            let head = withUnsafeBytes(of: UInt64(body.count).littleEndian) { Array($0) }
            return head + body
        }
    }

    /// The size of the message behind a number, or `nil` if no message is so large.
    static func size(_ head: [UInt8]) -> Int? {
        let size = head.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return head.count == headSize && size <= mostBytes ? Int(size) : nil
    }

    init(_ body: [UInt8]) throws {
        let reader = try WireReader(body)
        self = try reader.read(HandoverMessage.self)
        try reader.finish()
    }
}
