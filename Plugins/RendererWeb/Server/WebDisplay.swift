// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import Synchronization

/// Shows screens in browsers: owns a session, and the requests that wait for its next page.
///
/// Its functions are called by the navigation, and by the server's thread. One lock orders both.
final class WebDisplay: ScreenDisplay, WebSite {
    private struct State {
        var session = WebSession()
        var server: WebServer?
        /// The call of ``WebDisplay/show(_:in:)`` that waits for an event.
        var shown: CheckedContinuation<DisplayEvent, Never>?
        /// The requests that wait for the next page.
        var waiting: [WebExchange] = []
        /// How many requests have begun and not ended.
        var openCount = 0
        /// The end that waits for the last responses.
        var closing: CheckedContinuation<Void, Never>?

        /// Whether all responses are sent, and no browser is on its way.
        var isQuiet: Bool { openCount == 0 && !session.isVisitDue }
    }

    /// How long the end waits for a browser that is to ask for the last page. A machine with much else to do lets a
    /// browser take seconds, which would then find no server; a browser that is gone is waited for in vain.
    private static let farewell = Duration.seconds(10)

    private let state = Mutex(State())

    init() {}

    /// Begins to answer requests.
    ///
    /// - Returns: The address of the pages.
    /// - Throws: ``WebServerError``.
    func start() throws(WebServerError) -> String {
        let server = try WebServer(self)
        return state.withLock { state in
            state.server = server
            return "http://127.0.0.1:\(server.port)\(state.session.gate.root)"
        }
    }

    // MARK: ScreenDisplay

    func show(_ screen: Screen, in frame: ScreenFrame) async -> DisplayEvent {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wakeWaiting { state in
                    state.shown = continuation
                    state.session.publish(screen, in: frame)
                }
                // If the task was cancelled before, there was no display to tell.
                if Task.isCancelled { interrupt() }
            }
        } onCancel: {
            interrupt()
        }
    }

    func close() async {
        wakeWaiting { $0.session.end() }
        let timer = Task { [weak self] in
            try await Task.sleep(for: Self.farewell)
            self?.finishClosing { _ in true }
        }
        await withCheckedContinuation { continuation in
            state.withLock { $0.closing = continuation }
            finishClosing(\.isQuiet)
        }
        timer.cancel()
        let server = state.withLock { state in
            defer { state.server = nil }
            return state.server
        }
        server?.stop()
    }

    private func interrupt() {
        let shown = state.withLock { state in
            let shown = state.shown.take()
            return shown.map { ($0, state.session.interrupt()) }
        }
        if let (continuation, form) = shown { continuation.resume(returning: .interrupted(form)) }
    }

    private func finishClosing(_ isDone: (borrowing State) -> Bool) {
        let closing = state.withLock { state in
            isDone(state) ? state.closing.take() : nil
        }
        closing?.resume()
    }

    /// Changes the session, and lets all waiting requests look at it again.
    private func wakeWaiting(_ change: (inout sending State) -> Void) {
        let woken = state.withLock { state in
            change(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        woken.forEach { $0.resume() }
    }

    // MARK: WebSite

    func refusal(of request: WebRequest) -> WebResponse? {
        state.withLock(\.session.gate).refusal(of: request)
    }

    func began() {
        state.withLock { $0.openCount += 1 }
    }

    func answer(_ exchange: WebExchange) -> WebResponse? {
        let (event, response) = state.withLock { state in next(for: exchange, &state) }
        if let (shown, made) = event { shown.resume(returning: made) }
        return response
    }

    /// Answers a request, or suspends it; the event that it has made, with the call that waits for it.
    private func next(
        for exchange: WebExchange, _ state: inout State
    ) -> ((CheckedContinuation<DisplayEvent, Never>, DisplayEvent)?, WebResponse?) {
        var event: (CheckedContinuation<DisplayEvent, Never>, DisplayEvent)?
        var answer =
            exchange.hasMadeEvent
            ? state.session.answerAfterEvent(isOverdue: exchange.isOverdue)
            : state.session.answer(exchange.request, isOverdue: exchange.isOverdue)
        if case .event(let made) = answer {
            event = state.shown.take().map { ($0, made) }
            exchange.hasMadeEvent = true
            answer = state.session.answerAfterEvent(isOverdue: false)
        }
        switch answer {
        case .respond(let response): return (event, response)
        case .wait(let limit): suspend(exchange, for: limit, &state)
        case .event: break
        }
        return (event, nil)
    }

    func ended() {
        state.withLock { $0.openCount -= 1 }
        finishClosing(\.isQuiet)
    }

    /// Suspends a request while the lock is held, so that no page is missed between the answer and the wait.
    private func suspend(
        _ exchange: WebExchange, for limit: Duration, _ state: inout State
    ) {
        exchange.suspend()
        state.waiting.append(exchange)
        let turn = exchange.turn
        Task { [weak self] in
            try await Task.sleep(for: limit)
            self?.endWait(of: exchange, turn)
        }
    }

    private func endWait(of exchange: WebExchange, _ turn: Int) {
        let isWaiting = state.withLock { state in
            let place = state.waiting.firstIndex { $0 === exchange && exchange.turn == turn }
            guard let place else { return false }
            state.waiting.remove(at: place)
            exchange.isOverdue = true
            return true
        }
        if isWaiting { exchange.resume() }
    }
}
