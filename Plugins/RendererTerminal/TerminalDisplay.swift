// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CTerminal
import CommonInterface
import Glibc
import Synchronization

/// The terminal of this process as a place where screens are drawn.
///
/// A thread of its own draws and reads keys: no task is blocked while a person thinks.
final class TerminalDisplay: ScreenDisplay {
    private let orders: TerminalOrders
    private let lastNumber = Atomic(0)

    private init(_ orders: TerminalOrders) {
        self.orders = orders
    }

    /// Takes possession of the terminal.
    ///
    /// - Parameter type: The terminal's type, as `TERM` says it.
    static func open(type: String) async throws -> TerminalDisplay {
        let orders = try TerminalOrders()
        try await withCheckedThrowingContinuation { continuation in
            TerminalThread.start(orders, type: type) { continuation.resume(with: $0) }
        }
        return TerminalDisplay(orders)
    }

    func show(_ screen: Screen, in frame: ScreenFrame) async throws -> DisplayEvent {
        let number = lastNumber.add(1, ordering: .relaxed).newValue
        let orders = orders
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                orders.give(
                    .show(screen, frame, number) { continuation.resume(returning: $0) })
            }
        } onCancel: {
            orders.give(.interrupt(number))
        }
    }

    func close() async {
        let orders = orders
        await withCheckedContinuation { continuation in
            orders.give(.close { continuation.resume() })
        }
    }
}

/// An order to the thread that draws.
enum TerminalOrder: Sendable {
    /// To show a screen until the person has done something.
    case show(Screen, ScreenFrame, Int, done: @Sendable (DisplayEvent) -> Void)
    /// To stop showing the screen with that number.
    case interrupt(Int)
    /// Restores the terminal, and ends the thread.
    case close(done: @Sendable () -> Void)
}

/// The orders that the thread has not taken yet, and a pipe that wakes it.
///
/// Signal handlers write to the pipe, too.
final class TerminalOrders: Sendable {
    private let waiting = Mutex<[TerminalOrder]>([])
    let readEnd: Int32
    let writeEnd: Int32

    init() throws(TerminalError) {
        var ends: [Int32] = [-1, -1]
        guard terminal_pipe(&ends) else { throw .system("there is no further pipe", errno) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        Glibc.close(readEnd)
        Glibc.close(writeEnd)
    }

    func give(_ order: TerminalOrder) {
        waiting.withLock { $0.append(order) }
        var byte = UInt8(ascii: "O")
        // A full pipe wakes the thread as well.
        _ = write(writeEnd, &byte, 1)
    }

    /// Takes all orders, in their order.
    func take() -> [TerminalOrder] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }

    /// Takes the bytes that have been written to the pipe.
    func takeSignals() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(readEnd, &bytes, bytes.count)
        return Array(bytes.prefix(max(count, 0)))
    }
}
