// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Glibc

/// Shows a screen with the renderer itself, without a navigation, and prints at the end what was done.
///
/// `eaves launch show NAME`, with the name of one of ``SampleScreens``. Some actions harm the process.
enum ShowsScreensModule: Module {
    struct Show: Feature {
        let renderer: any ScreenRenderer

        func launch(_ launch: Launch) async throws -> ExitCode {
            guard renderer.canDraw(on: launch.console) else {
                launch.console.warn("the renderer cannot draw here")
                _ = try await renderer.open(on: launch.console)
                return .failure
            }
            let display = try await renderer.open(on: launch.console)
            var events: [DisplayEvent] = []
            do {
                try await show(SampleScreens.named(launch.arguments.first ?? ""), display, &events)
            } catch {
                await display.close()
                throw error
            }
            await display.close()
            for event in events { try launch.console.print(Self.text(event)) }
            return .success
        }

        private func show(
            _ sample: (screen: Screen, frame: ScreenFrame), _ display: any ScreenDisplay,
            _ events: inout [DisplayEvent]
        ) async throws {
            var (screen, frame) = sample
            while true {
                let (shown, place) = (screen, frame)
                let task = Task { try await display.show(shown, in: place) }
                if screen.title == "Clock" { Self.cancelOnLine(task) }
                let event = try await task.value
                events.append(event)
                switch event {
                case .back, .quit: return
                case .interrupted(let form):
                    frame.form = form
                    screen.title = "Clock has struck"
                case .input(let input):
                    frame.form = input.form
                    if case .action(let id) = input.kind { try await act(id, &screen, &frame) }
                @unknown default: return
                }
            }
        }

        private func act(
            _ id: String, _ screen: inout Screen, _ frame: inout ScreenFrame
        ) async throws {
            switch id {
            case "log-in":
                screen.elements.removeAll { if case .problem = $0 { true } else { false } }
                screen.elements.append(.problem("There is no user with this name and password."))
            case "note": frame.notice = "The note is written."
            case "trap": _ = [Int]().first!
            case "abort": abort()
            case "fault": UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
            case "exit": exit(3)
            case "pause":
                close(open("pausing", O_WRONLY | O_CREAT, 0o600))
                // The file is a named pipe.
                close(open("strike", O_RDONLY))
            case "busy": try await Task.sleep(for: .seconds(3600))
            case "throw": throw ConsoleError("thrown on purpose")
            default: break
            }
        }

        /// Cancels the task when the file 'strike', a named pipe, has a reader.
        private static func cancelOnLine(_ task: Task<DisplayEvent, any Error>) {
            Task.detached {
                let file = open("strike", O_WRONLY)
                task.cancel()
                close(file)
            }
        }

        private static func text(_ event: DisplayEvent) -> String {
            switch event {
            case .input(let input): "input \(input.kind) \(text(input.form))"
            case .back(let form): "back \(text(form))"
            case .quit(let form): "quit \(text(form))"
            case .interrupted(let form): "interrupted \(text(form))"
            @unknown default: "unknown"
            }
        }

        private static func text(_ form: Form) -> String {
            form.values.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ")
        }
    }

    static func register(in registrar: any Registrar) {
        registrar.registerFeature("show") { resolver in
            Show(renderer: try resolver.resolve((any ScreenRenderer).self))
        }
    }
}
