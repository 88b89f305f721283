// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import EavesTesting
import Synchronization
import Testing
import EavesTestSupport

@testable import Navigation

@Suite("The navigation", .onOwnThreads)
struct NavigationTests {
    /// A person who does what was written down, and remembers the titles of the screens.
    private final class Person: ScreenDisplay {
        private let plan: Mutex<[DisplayEvent]>
        let seen = Kept()

        init(_ plan: [DisplayEvent]) {
            self.plan = Mutex(plan)
        }

        func show(_ screen: Screen, in frame: ScreenFrame) async throws -> DisplayEvent {
            if screen.texts == ["Please wait …"] {
                // On a busy machine, each model takes long. The person waits until it is ready.
                try? await Task.sleep(for: .seconds(3600))
                return .interrupted(frame.form)
            }
            let trail = frame.trail.map { $0 + ">" }.joined()
            let notice = frame.notice.map { " (\($0))" } ?? ""
            seen.keep(trail + screen.title + notice)
            return plan.withLock { $0.isEmpty ? .quit(Form()) : $0.removeFirst() }
        }

        func close() async { seen.keep("closed") }
    }

    private struct Renderer: ScreenRenderer {
        let person: Person

        func canDraw(on console: any Console) -> Bool { true }
        func open(on console: any Console) -> any ScreenDisplay { person }
    }

    /// A screen that does what its actions are called.
    private final class Numbered: ScreenModel {
        let number: Int
        let router: ScreenRouter
        let kept: Kept
        let asked: Kept
        private let memory = Mutex<[String: String]>([:])

        init(_ link: Link, _ router: ScreenRouter, _ kept: Kept, asked: Kept = Kept()) {
            number = link.number("n") ?? 0
            self.router = router
            self.kept = kept
            self.asked = asked
        }

        func screen() async -> Screen {
            asked.keep("\(number)")
            return Screen(
                "\(number)", [.field(Screen.Field("secret", "Secret", isSecret: true))])
        }

        func handle(_ input: ScreenInput) async throws {
            let next = Link("numbered", ["n": "\(number + 1)"])
            let model = { @Sendable [kept] in Numbered(next, $0, kept) }
            switch input.kind {
            case .action("push"): try await router.open(next, model: model)
            case .action("root"): try await router.open(next, as: .root, model: model)
            case .action("modal"): try await router.open(next, as: .modal, model: model)
            case .action("close"): await router.close()
            case .action("close-all"): await router.closeToRoot()
            case .action("close-and-open"):
                await router.close()
                // A task that waits for the screen's end gets time to go on too early.
                for _ in 0..<100 { await Task.yield() }
                try await router.open(next, as: .modal, model: model)
            case .action("fail"): throw UserServiceError.readOnly
            case .action("remember"): memory.withLock { $0["remembered"] = "yes" }
            case .action("answer"): kept.keep("answered")
            case .action("ask"):
                do {
                    let answer: Int = try await router.result(of: next) {
                        [kept] router, finish in
                        Asking(finish, next, router, kept)
                    }
                    kept.keep("answer \(answer)")
                } catch let end as NoResult {
                    kept.keep("\(end)")
                }
            default: break
            }
        }

        func state() async -> [String: String] { memory.withLock { $0 } }
        func restore(_ state: [String: String]) async { memory.withLock { $0 = state } }
    }

    /// A screen that was opened for a number.
    private final class Asking: ScreenModel {
        let finish: @Sendable (Int) async -> Void
        let inner: Numbered

        init(
            _ finish: @escaping @Sendable (Int) async -> Void, _ link: Link,
            _ router: ScreenRouter, _ kept: Kept
        ) {
            self.finish = finish
            inner = Numbered(link, router, kept)
        }

        func screen() async -> Screen { Screen("asking") }

        func handle(_ input: ScreenInput) async throws {
            if input.kind == .action("finish") {
                await finish(42)
            } else {
                try await inner.handle(input)
            }
        }
    }

    private struct Destinations: Destination {
        let kept: Kept
        let asked: Kept
        let parameters: [LinkParameter] = [.optional("n", .number)]

        func makeModel(for link: Link, _ router: ScreenRouter) -> any ScreenModel {
            Numbered(link, router, kept, asked: asked)
        }
    }

    private let kept = Kept()
    /// The numbers of the screens whose models were asked for them.
    private let asked = Kept()
    /// The links of the places that the navigator gave to be kept.
    private let places = Kept()

    /// Runs the screens, and returns what the person saw, and the state at the end.
    private func run(
        from state: NavigationState = NavigationState([Link("numbered")]),
        _ plan: [DisplayEvent]
    ) async throws -> (seen: [String], end: NavigationState) {
        let container = try TestContainer()
        let person = Person(plan)
        container.replace((any ScreenRenderer).self) { _ in Renderer(person: person) }
        container.replace((any Destination).self, name: "numbered") { [kept, asked] _ in
            Destinations(kept: kept, asked: asked)
        }
        let end = try await ScreenNavigator().run(state, in: container, on: TestConsole()) {
            [places] in places.keep($0.steps.map(\.link).joined(separator: " "))
        }
        return (person.seen.all, end)
    }

    private func acts(_ actions: String...) -> [DisplayEvent] {
        actions.map { .input(ScreenInput(.action($0))) }
    }

    @Test("pushed screens lie above their openers, and go away one by one")
    func push() async throws {
        let run = try await run(
            acts("push", "push") + [.back(Form()), .back(Form()), .back(Form())])
        #expect(run.seen == ["0", "0>1", "0>1>2", "0>1", "0", "closed"])
        #expect(run.end.steps.isEmpty)
    }

    @Test("all screens but the lowest can be closed at once, and a screen can close itself")
    func close() async throws {
        let run = try await run(acts("push", "modal", "close-all", "push", "close"))
        #expect(run.seen == ["0", "0>1", "0>1>2", "0", "0>1", "0", "closed"])
    }

    @Test("a screen that closes itself can open another one before the one below is shown")
    func closeAndOpen() async throws {
        let run = try await run(acts("push", "close-and-open"))
        #expect(run.seen == ["0", "0>1", "0>2", "closed"])
    }

    @Test("a screen that is opened for a result gives it to its opener")
    func result() async throws {
        let run = try await run(acts("ask", "finish"))
        #expect(run.seen == ["0", "0>asking", "0", "closed"])
        #expect(kept.all == ["answer 42"])
    }

    @Test("going back from a result, leaving, and being replaced are outcomes with names")
    func noResult() async throws {
        _ = try await run(acts("ask") + [.back(Form())])
        _ = try await run(acts("ask", "root"))
        _ = try await run(acts("ask") + [.quit(Form())])
        #expect(
            kept.all.prefix(2) == [
                "the person went back without a choice",
                "another screen took the place of the choice",
            ])
    }

    @Test("an error of a model is shown, and the screen stays")
    func failure() async throws {
        let run = try await run(acts("fail", "push"))
        #expect(run.seen == ["0", "0 (These users cannot be changed.)", "0>1", "closed"])
    }

    @Test("the state has links, what is filled in, and the models' own state, and no secrets")
    func state() async throws {
        let form = Form(["name": "Ada", "secret": "x"])
        let first = try await run(
            acts("remember", "modal") + [.quit(form)])
        let steps = [
            NavigationState.Step(Link("numbered"), state: ["remembered": "yes"]),
            NavigationState.Step(
                Link("numbered", ["n": "1"]), isModal: true, form: ["name": "Ada"]),
        ]
        #expect(first.end == NavigationState(steps))
        let second = try await run(from: first.end, [.quit(Form(["name": "Ada"]))])
        #expect(second.seen == ["0>1", "closed"])
        #expect(second.end == first.end)
    }

    @Test(
        "a restored screen is asked what it shows once, and those below once for their titles")
    func asksOnce() async throws {
        let links = ["1", "2", "3"].map { Link("numbered", ["n": $0]) }
        let run = try await run(from: NavigationState(links), [])
        #expect(run.seen == ["1>2>3", "closed"])
        #expect(asked.all == ["1", "2", "3"])
    }

    @Test("the place is given to be kept, before each screen and at the end")
    func keeping() async throws {
        _ = try await run(acts("push") + [.back(Form()), .back(Form())])
        #expect(
            places.all == [
                "eaves://numbered", "eaves://numbered eaves://numbered;n=1", "eaves://numbered",
                "",
            ])
    }

    @Test("a path that no screen has is an error in the application's words")
    func unknownPath() async throws {
        let error = await #expect(throws: ResolutionError.self) {
            _ = try await run(from: NavigationState([Link("nowhere")]), [])
        }
        #expect(error?.description == "no screen has the path 'nowhere'")
    }

    @Test("a saved state leaves out screens for whose result nobody waits any more")
    func awaited() async throws {
        let run = try await run(acts("ask", "push"))
        #expect(run.seen == ["0", "0>asking", "0>asking>2", "closed"])
        #expect(run.end.steps.map(\.link) == ["eaves://numbered"])
    }

    @Test("a wrong parameter of a link is an error before anything is shown")
    func wrongParameter() async throws {
        let error = await #expect(throws: LinkError.self) {
            _ = try await run(from: NavigationState([Link("numbered", ["n": "x"])]), [])
        }
        #expect(error?.description.hasPrefix("cannot open 'numbered': 'n' is 'x'") == true)
    }
}
