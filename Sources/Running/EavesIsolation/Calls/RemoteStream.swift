// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface
import Synchronization

/// A stream that another process makes. It gets no further ahead of its reader than ``window``.
///
/// Safe from any thread. One task at a time reads.
final class RemoteStream: Sendable {
    /// The largest number of elements that are under way, or wait to be read.
    static let window: UInt32 = 32

    private let number: UInt64
    private let peer: CallPeer
    private let state = Mutex(State())

    private struct State {
        var elements: [[UInt8]] = []
        var end: Result<Void, any Error>?
        var waiting: CheckedContinuation<Void, Never>?
        /// The number of elements that were read since the other end was asked for more.
        var read: UInt32 = 0
        /// The number of elements that the other end may still send.
        var credit: UInt32 = 0
    }

    init(_ number: UInt64, _ peer: CallPeer) {
        self.number = number
        self.peer = peer
    }

    /// Lets the other end begin.
    func begin() {
        state.withLock { $0.credit = Self.window }
        peer.ask(Self.window, of: number)
    }

    func add(_ element: [UInt8]) throws(MessageError) {
        let (isDue, waiting) = state.withLock { state in
            guard state.credit > 0 else {
                return (false, nil as CheckedContinuation<Void, Never>?)
            }
            state.credit -= 1
            state.elements.append(element)
            return (true, state.waiting.take())
        }
        if !isDue { throw .unexpected(.element) }
        waiting?.resume()
    }

    func end(_ end: Result<Void, any Error>) {
        let waiting = state.withLock { state in
            if state.end == nil { state.end = end }
            return state.waiting.take()
        }
        waiting?.resume()
    }

    /// The next element; `nil` at the end.
    func next() async throws -> WireReader? {
        while true {
            try Task.checkCancellation()
            let (element, end, more) = state.withLock { state in
                guard !state.elements.isEmpty else {
                    return (nil as [UInt8]?, state.end, 0 as UInt32)
                }
                let element = state.elements.removeFirst()
                state.read += 1
                guard state.read >= Self.window / 2 else { return (element, nil, 0) }
                defer { state.read = 0 }
                state.credit += state.read
                return (element, nil, state.read)
            }
            if more > 0 { peer.ask(more, of: number) }
            if let element { return try peer.reader(element) }
            if let end {
                try end.get()
                return nil
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isOver = state.withLock { state in
                        if !state.elements.isEmpty || state.end != nil { return true }
                        state.waiting = continuation
                        return false
                    }
                    if isOver { continuation.resume() } else if Task.isCancelled { wake() }
                }
            } onCancel: {
                wake()
            }
        }
    }

    /// Ends it because its reader has left it.
    func leave() { peer.leave(number) }

    private func wake() { state.withLock { $0.waiting.take() }?.resume() }
}
