// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The open connections of the server, by their sockets, and which of them ends for a new one.
///
/// Anybody on this machine can open connections, and send no request, or one that never ends. So when there are many, a
/// new connection ends the one from which the server has waited longest for a request. The person's own browser sends
/// its request at once, and keeps its place while the request is answered.
struct WebConnections: Sendable {
    /// The number of connections up to which none ends for another one.
    let limit: Int
    /// When the server began to wait for a request that is not refused, as a number that grows; `nil` while it answers
    /// one.
    private var waiting: [Int32: Int?] = [:]
    private var clock = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Notes a new connection.
    ///
    /// - Returns: The connection to end for it; `nil` if there is none that has to, or may.
    mutating func open(_ socket: Int32) -> Int32? {
        let longest =
            waiting.count < limit
            ? nil : waiting.compactMap { key, since in since.map { (key, $0) } }.min { $0.1 < $1.1 }
        if let (ended, _) = longest { waiting.removeValue(forKey: ended) }
        wait(for: socket)
        return longest?.0
    }

    /// Notes that a request has come that is not refused.
    mutating func answer(_ socket: Int32) {
        if waiting.keys.contains(socket) { waiting.updateValue(nil, forKey: socket) }
    }

    /// Notes that a request is over: the connection waits for the next one. After a refused request, it has waited all
    /// the time.
    mutating func end(_ socket: Int32) {
        if case .some(nil) = waiting[socket] { wait(for: socket) }
    }

    /// Notes that a connection is closed.
    mutating func close(_ socket: Int32) {
        waiting.removeValue(forKey: socket)
    }

    private mutating func wait(for socket: Int32) {
        clock += 1
        waiting.updateValue(clock, forKey: socket)
    }
}
