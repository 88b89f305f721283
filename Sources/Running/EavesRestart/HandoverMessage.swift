// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost

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
