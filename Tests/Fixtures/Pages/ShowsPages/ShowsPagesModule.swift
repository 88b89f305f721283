// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Glibc

enum ShowsPagesModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerFeature("screens") { resolver in
            Screens(renderer: try resolver.resolve((any ScreenRenderer).self))
        }
    }
}

/// Draws without a navigation: a form, a list and a dialogue, whose actions lead to one another. The slow action works
/// until there is a file `go`.
struct Screens: Feature {
    let renderer: any ScreenRenderer

    func launch(_ launch: Launch) async throws -> ExitCode {
        let display = try await renderer.open(on: launch.console)
        var events: [String] = []
        do {
            var place = Place.form
            while let screen = place.screen(events.last) {
                let event = try await Self.show(screen, of: place, in: display)
                events.append(Self.words(event))
                place = place.after(event)
                if events.last?.hasPrefix("action slow") == true {
                    while access("go", F_OK) != 0 { try await Task.sleep(for: .milliseconds(20)) }
                }
            }
        } catch {
            await display.close()
            throw error
        }
        await display.close()
        for event in events { try launch.console.print(event) }
        return .success
    }

    private static func show(
        _ screen: Screen, of place: Place, in display: any ScreenDisplay
    ) async throws -> DisplayEvent {
        let showing = Task { try await display.show(screen, in: place.frame) }
        // A screen with news is drawn anew at once, as a navigation does.
        if case .news(isOver: false) = place { showing.cancel() }
        return try await showing.value
    }

    private static func words(_ event: DisplayEvent) -> String {
        let (kind, form) =
            switch event {
            case .input(let input):
                switch input.kind {
                case .action(let id): ("action \(id)", input.form)
                case .row(let id, let list): ("row \(id) of \(list)", input.form)
                @unknown default: ("unknown", input.form)
                }
            case .back(let form): ("back", form)
            case .quit(let form): ("quit", form)
            case .interrupted(let form): ("interrupted", form)
            @unknown default: ("unknown", Form())
            }
        let values = form.values.sorted { $0.key < $1.key }
        return kind + values.map { " \($0.key)='\($0.value)'" }.joined()
    }
}

/// Where the person is.
enum Place {
    case form
    case list
    case dialogue
    case news(isOver: Bool)
    case end

    func after(_ event: DisplayEvent) -> Place {
        switch event {
        case .quit: .end
        case .back: .form
        case .interrupted: .news(isOver: true)
        case .input(let input):
            switch input.kind {
            case .action("log-in"), .action("slow"): .list
            case .action("news"): .news(isOver: false)
            case .action("end"): .end
            case .action: .form
            case .row: .dialogue
            @unknown default: .end
            }
        @unknown default: .end
        }
    }

    var frame: ScreenFrame {
        switch self {
        case .form, .end: ScreenFrame()
        case .list: ScreenFrame(trail: ["Log in"], notice: "Welcome <script>alert(1)</script>")
        case .news: ScreenFrame(trail: ["Log in"])
        case .dialogue: ScreenFrame(trail: ["Log in", "Users"], isModal: true)
        }
    }

    func screen(_ lastEvent: String?) -> Screen? {
        switch self {
        case .form:
            Screen(
                "Log in",
                [
                    .text("Enter your name and your password.\nBoth are needed."),
                    .field(Screen.Field("name", "Name", value: "Ada <Lovelace> & \"Co\"")),
                    .field(Screen.Field("password", "Password", value: "old", isSecret: true)),
                    .choice(
                        Screen.Choice(
                            "language", "Language",
                            [Screen.Option("en", "English"), Screen.Option("de", "Deutsch")],
                            selected: "en")),
                ],
                actions: [
                    Screen.Action("log-in", "Log in"), Screen.Action("slow", "Log in slowly"),
                    Screen.Action("news", "Show news"), Screen.Action("end", "End"),
                ])
        case .list:
            Screen(
                "Users",
                [
                    .problem("Carol <b>could</b> not be reached."),
                    .text(lastEvent ?? ""),
                    .list(
                        Screen.List(
                            "users",
                            [
                                Screen.Row(
                                    "1", "Alice", detail: "alice@example.org", color: "#3366cc"),
                                Screen.Row("2", "Bob <script>", color: "red;}</style>"),
                                Screen.Row("3", "Çağla 漢字", detail: "東京", color: "#CC6633"),
                            ])),
                    .list(Screen.List("groups", [], placeholder: "There are no groups.")),
                ])
        case .news(let isOver):
            Screen(
                "News",
                [
                    .text(isOver ? "Two letters came." : "Nothing came yet."),
                    .field(Screen.Field("answer", "Answer")),
                ],
                actions: [Screen.Action("send", "Send")])
        case .dialogue:
            Screen(
                "Choose", [.text(lastEvent ?? "")], actions: [Screen.Action("done", "Done")])
        case .end: nil
        }
    }
}
