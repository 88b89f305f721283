// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CTerminal
import CommonInterface
import Glibc

/// The thread that draws screens and reads keys. It sleeps until a key, an order or a signal comes.
struct TerminalThread: ~Copyable {
    /// A screen that is shown just now.
    private struct Shown {
        let number: Int
        let done: @Sendable (DisplayEvent) -> Void
    }

    private let orders: TerminalOrders
    private var curses: Curses
    private var surface: Surface
    /// The screen that is drawn, also when it has ended and the next one is not there yet.
    private var state: ScreenState?
    private var shown: Shown?
    private var lastNumber = 0
    /// The screens that were interrupted before they were shown.
    private var interrupted: Set<Int> = []
    /// The focus of the screens below, by the titles that lead to them.
    private var places: [[String]: Focus] = [:]
    /// The keys that came while no screen was shown.
    private var typedAhead: [Key] = []
    /// Whether the terminal is gone.
    private var hasEnded = false
    private var closed: (@Sendable () -> Void)?

    private static let typedAheadLimit = 256

    private init(_ orders: TerminalOrders, type: String) throws(TerminalError) {
        self.orders = orders
        curses = try Curses(type: type, wake: orders.writeEnd)
        surface = Surface(
            size: curses.size(or: Size(rows: 24, columns: 80)), marks: .of(terminal: type),
            hasColors: curses.colors >= 8)
    }

    /// Starts the thread.
    ///
    /// - Parameter started: A function that is called on the thread once it has the terminal, or cannot have it.
    static func start(
        _ orders: TerminalOrders, type: String,
        started: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        final class Start {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        let start = Start {
            let closed: (@Sendable () -> Void)?
            do {
                var thread = try TerminalThread(orders, type: type)
                started(.success(()))
                closed = thread.run()
            } catch {
                return started(.failure(error))
            }
            // The terminal has been restored.
            closed?()
        }
        var thread = pthread_t()
        // SAFETY: the thread takes over the reference, and releases it.
        let reference = Unmanaged.passRetained(start)
        let code = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue().body()
                return nil
            }, reference.toOpaque())
        guard code == 0 else {
            reference.release()
            return started(.failure(TerminalError.system("there is no further thread", code)))
        }
        pthread_detach(thread)
    }

    /// Serves until the display is closed.
    ///
    /// - Returns: The call that tells so, for when the terminal has been restored.
    private mutating func run() -> (@Sendable () -> Void)? {
        while closed == nil {
            readKeys()
            if closed == nil { wait() }
            for order in orders.take() { obey(order) }
        }
        return closed
    }

    /// Sleeps until something has come in, and looks after the signals.
    private mutating func wait() {
        var sources = [
            pollfd(fd: orders.readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: hasEnded ? -1 : STDIN_FILENO, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&sources, 2, -1) > 0 else { return }
        if sources[0].revents != 0 { attend(orders.takeSignals()) }
        let input = Int32(sources[1].revents)
        guard input != 0 else { return }
        // A terminal that has gone is readable for ever, and there is nothing to read.
        if readKeys() == 0, input & (POLLHUP | POLLERR | POLLNVAL) != 0 || isInputAtEnd() {
            hasEnded = true
            end(DisplayEvent.quit)
        }
    }

    /// Whether the input is readable although all that has come in was read.
    private func isInputAtEnd() -> Bool {
        var count: Int32 = 0
        var source = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&source, 1, 0) > 0 && terminal_waiting(&count) && count == 0
    }

    private mutating func attend(_ signals: [UInt8]) {
        if signals.contains(UInt8(ascii: "Z")) { return stop() }
        let goesOn = signals.contains(UInt8(ascii: "C"))
        if goesOn || signals.contains(UInt8(ascii: "W")) {
            surface.size = curses.size(or: surface.size)
            state?.surface = surface
            state?.reveal()
            draw(anew: true)
        }
    }

    private mutating func stop() {
        curses.stop()
        surface.size = curses.size(or: surface.size)
        state?.surface = surface
        draw(anew: true)
    }

    private mutating func obey(_ order: TerminalOrder) {
        switch order {
        case .show(let screen, let frame, let number, let done):
            show(screen, frame)
            shown = Shown(number: number, done: done)
            lastNumber = number
            if interrupted.remove(number) != nil {
                interrupt()
            } else if hasEnded {
                end(DisplayEvent.quit)
            }
        case .interrupt(let number):
            if shown?.number == number {
                interrupt()
            } else if number > lastNumber {
                interrupted.insert(number)
            }
        case .close(let done):
            closed = done
        }
    }

    private mutating func show(_ screen: Screen, _ frame: ScreenFrame) {
        if let state, let focus = state.focus {
            places[state.frame.trail + [state.screen.title]] = focus
        }
        let path = frame.trail + [screen.title]
        places = places.filter { path.starts(with: $0.key) }
        state = ScreenState(
            screen, in: frame, on: surface, after: state, remembered: places[path])
        draw()
    }

    /// Hands the keys that have come in to the screen, until it has ended.
    ///
    /// - Returns: The number of keys that were read.
    @discardableResult
    private mutating func readKeys() -> Int {
        var count = 0
        var hasPressed = false
        while !hasEnded {
            if shown != nil, !typedAhead.isEmpty {
                press(typedAhead.removeFirst())
                hasPressed = true
                continue
            }
            guard let key = curses.key() else { break }
            count += 1
            if shown != nil {
                press(key)
                hasPressed = true
            } else {
                keep(key)
            }
        }
        if shown != nil, hasPressed { draw() }
        return count
    }

    /// Keeps a key for the next screen. A program that does not come to it ends with the second Ctrl-C.
    private mutating func keep(_ key: Key) {
        switch key {
        case .quit where typedAhead.contains(.quit): kill(getpid(), SIGINT)
        case .abort: kill(getpid(), SIGQUIT)
        case .suspend: stop()
        case .redraw: draw(anew: true)
        case .quit: typedAhead = [.quit]
        default: if typedAhead.count < Self.typedAheadLimit { typedAhead.append(key) }
        }
    }

    private mutating func press(_ key: Key) {
        switch key {
        case .abort: kill(getpid(), SIGQUIT)
        case .suspend: stop()
        case .redraw: draw(anew: true)
        default:
            guard let event = state?.press(key) else { return }
            draw()
            end { _ in event }
        }
    }

    private mutating func interrupt() {
        state?.isInterrupted = true
        end(DisplayEvent.interrupted)
    }

    private mutating func end(_ event: (Form) -> DisplayEvent) {
        guard let shown else { return }
        self.shown = nil
        shown.done(event(state?.form ?? Form()))
    }

    private mutating func draw(anew: Bool = false) {
        guard let state else { return }
        curses.draw(ScreenLayout(state).drawing, anew: anew)
    }
}
