// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Shows the uppermost screen, hands its inputs to its model, and opens and closes screens for routers.
actor ScreenSession: Navigation {
    private let container: any Resolver
    private let display: any ScreenDisplay
    private let keep: @Sendable (NavigationState) async -> Void
    private var stack = ScreenStack()
    private var waiting: [ScreenID: CheckedContinuation<ScreenEnd, Never>] = [:]
    /// The task that shows a screen; it is cancelled when there is something else to show.
    private var showing: Task<DisplayEvent, any Error>?
    /// The tasks in which models handle an input.
    private var handling: [ScreenID: Task<Void, Never>] = [:]
    /// The screens that have closed themselves while their models handle an input. The session waits for the end of
    /// that work, such as the opening of a message, before the screen below is shown.
    private var leaving: Set<ScreenID> = []
    private var hasChanged = false
    private var wake: CheckedContinuation<Void, Never>?

    /// - Parameters:
    ///   - container: Resolves destinations; each screen's router carries it.
    ///   - display: The place where the screens are drawn.
    ///   - keep: Saves the state whenever it may have changed.
    init(
        container: any Resolver, display: any ScreenDisplay,
        keep: @escaping @Sendable (NavigationState) async -> Void
    ) {
        self.container = container
        self.display = display
        self.keep = keep
    }

    // MARK: The run

    /// Opens the screens of a state, the lowest first.
    func restore(_ state: NavigationState) async throws {
        for step in state.steps {
            for link in try Link.steps(of: step.link) {
                let destination = try destination(of: link)
                let id = stack.newID()
                let model = try destination.makeModel(for: link, router(of: id))
                await model.restore(step.state)
                var entry = ScreenStack.Entry(
                    id: id, link: link, isModal: step.isModal, isAwaited: false, model: model)
                entry.form = Form(step.form)
                _ = stack.open(entry, as: .pushed, from: nil)
            }
        }
        // The trail names the lower screens before they are shown. The uppermost one is asked when it is shown.
        for entry in stack.entries.dropLast() {
            let title = await entry.model.screen().title
            stack.update(entry.id) { $0.title = title }
        }
    }

    /// Shows screens until the last one is closed, or the person leaves.
    ///
    /// - Returns: The state at the end.
    func run() async throws -> NavigationState {
        while let top = stack.top {
            if isWorking(top) {
                guard try await waitForModel(of: top) else { return await leave() }
                continue
            }
            let screen = await top.model.screen()
            // While the model was asked, one of its tasks may have opened another screen.
            guard stack.top?.id == top.id else { continue }
            stack.update(top.id) { $0.title = screen.title }
            await keep(state())
            guard stack.top?.id == top.id, !isWorking(top) else { continue }
            let event = try await show(screen, frame(of: top))
            if Task.isCancelled { return await leave() }
            switch event {
            case .interrupted(let form): fill(top.id, form, screen)
            case .back(let form):
                fill(top.id, form, screen)
                finish(stack.close(top.id, .cancelled))
            case .quit(let form):
                fill(top.id, form, screen)
                return await leave()
            case .input(let input):
                fill(top.id, input.form, screen)
                if stack.top?.id == top.id { handle(input, top) }
            @unknown default: break
            }
        }
        let end = await state()
        await keep(end)
        return end
    }

    /// Whether a model is at work, so that the person has nothing to do on the uppermost screen yet.
    private func isWorking(_ top: ScreenStack.Entry) -> Bool { top.isBusy || !leaving.isEmpty }

    /// Ends the run, and returns the place where the person was.
    private func leave() async -> NavigationState {
        let end = await state()
        await keep(end)
        for task in handling.values { task.cancel() }
        finish(stack.closeAll())
        return end
    }

    /// Waits until a model has handled its input, or has opened another screen. If that takes long, the
    /// person sees that work is going on, and can leave.
    ///
    /// - Returns: Whether to go on; `false` if the person leaves the application.
    private func waitForModel(of top: ScreenStack.Entry) async throws -> Bool {
        guard display.canBeInterrupted else {
            await change()
            return !Task.isCancelled
        }
        let alarm = Task {
            try await Task.sleep(for: .milliseconds(300))
            showWork(of: top.id)
        }
        await change()
        alarm.cancel()
        guard let event = try await showing?.value else { return !Task.isCancelled }
        showing = nil
        switch event {
        case .quit: return false
        case .back:
            leaving = []
            handling[top.id]?.cancel()
            finish(stack.close(top.id, .cancelled))
        case .input, .interrupted: break
        @unknown default: break
        }
        return !Task.isCancelled
    }

    /// Shows that a model is at work, if it still is.
    private func showWork(of screen: ScreenID) {
        guard let top = stack.top, top.id == screen, isWorking(top), showing == nil else { return }
        let wait = Screen(top.title, [.text("Please wait …")])
        let frame = frame(of: top)
        let task = Task { [display] in try await display.show(wait, in: frame) }
        showing = task
        Task {
            _ = try? await task.value
            self.signal()
        }
    }

    private func show(_ screen: Screen, _ frame: ScreenFrame) async throws -> DisplayEvent {
        let task = Task { [display] in try await display.show(screen, in: frame) }
        showing = task
        defer { showing = nil }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func frame(of top: ScreenStack.Entry) -> ScreenFrame {
        ScreenFrame(
            trail: stack.entries.dropLast().map(\.title), isModal: top.isModal, form: top.form,
            notice: top.notice)
    }

    /// Keeps what is filled in, without secrets.
    private func fill(_ id: ScreenID, _ form: Form, _ screen: Screen) {
        var kept = form
        for case .field(let field) in screen.elements where field.isSecret {
            kept.values[field.id] = nil
        }
        stack.update(id) { $0.form = kept }
    }

    /// Lets the model handle an input, in a task of its own: it may open a screen and wait for it.
    private func handle(_ input: ScreenInput, _ top: ScreenStack.Entry) {
        stack.update(top.id) {
            $0.isBusy = true
            $0.notice = nil
        }
        handling[top.id] = Task {
            var notice: String?
            do {
                try await top.model.handle(input)
            } catch is CancellationError {
                // The person did not want to wait.
            } catch {
                notice = "\(error)"
            }
            handled(top.id, notice)
        }
    }

    private func handled(_ id: ScreenID, _ notice: String?) {
        handling[id] = nil
        leaving.remove(id)
        stack.update(id) {
            $0.isBusy = false
            $0.notice = notice
        }
        changed()
    }

    /// The open screens, without those whose openers wait for a result, and without those above them.
    private func state() async -> NavigationState {
        var steps: [NavigationState.Step] = []
        for entry in stack.entries.prefix(while: { !$0.isAwaited }) {
            let state = await entry.model.state()
            steps.append(
                NavigationState.Step(
                    entry.link, isModal: entry.isModal, state: state, form: entry.form.values))
        }
        return NavigationState(steps)
    }

    // MARK: Destinations

    private func router(of screen: ScreenID) -> ScreenRouter {
        ScreenRouter(container: container, navigation: self, screen: screen)
    }

    private func destination(of link: Link) throws -> any Destination {
        let destination = try found(at: link.path)
        try link.check(against: destination.parameters)
        return destination
    }

    private func found(at path: String) throws(ResolutionError) -> any Destination {
        do {
            return try container.resolve((any Destination).self, name: path)
        } catch {
            guard error.wanted == ServiceRequest((any Destination).self, name: path) else {
                throw error
            }
            throw error.reworded("no screen has the path '\(path)'")
        }
    }

    // MARK: Navigation

    func open(
        _ link: Link, as place: ScreenPlace, from opener: ScreenID,
        model: @Sendable (ScreenRouter) throws -> any ScreenModel
    ) async throws {
        let id = stack.newID()
        let entry = ScreenStack.Entry(
            id: id, link: link, isModal: place == .modal, isAwaited: false,
            model: try model(router(of: id)))
        leaving.remove(opener)
        finish(stack.open(entry, as: place, from: opener))
    }

    func openAndWait(
        _ link: Link, from opener: ScreenID,
        model: @Sendable (ScreenRouter) throws -> any ScreenModel
    ) async throws -> ScreenEnd {
        let id = stack.newID()
        let entry = ScreenStack.Entry(
            id: id, link: link, isModal: true, isAwaited: true, model: try model(router(of: id)))
        leaving.remove(opener)
        return await withCheckedContinuation { continuation in
            waiting[id] = continuation
            finish(stack.open(entry, as: .modal, from: opener))
        }
    }

    func close(_ screen: ScreenID, _ end: ScreenEnd) {
        leave(stack.close(screen, end))
    }

    func closeToRoot() {
        leave(stack.closeToRoot())
    }

    /// Models have closed these screens.
    private func leave(_ closed: [ScreenStack.Closed]) {
        leaving.formUnion(closed.map(\.id).filter { handling[$0] != nil })
        finish(closed)
    }

    func refresh(_ screen: ScreenID) {
        if stack.top?.id == screen { changed() }
    }

    /// Tells the callers that wait for these screens.
    private func finish(_ closed: [ScreenStack.Closed]) {
        for screen in closed {
            waiting.removeValue(forKey: screen.id)?.resume(returning: screen.end)
        }
        changed()
    }

    // MARK: Changes

    /// Something else is to be shown.
    private func changed() {
        showing?.cancel()
        signal()
    }

    private func signal() {
        hasChanged = true
        wake?.resume()
        wake = nil
    }

    /// Waits until something has changed since the last call.
    private func change() async {
        if !hasChanged { await withCheckedContinuation { wake = $0 } }
        hasChanged = false
    }
}
