// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Opens the screens where the person was, and keeps the place; or shows a link or a saved state as a visit,
/// after which the person is where they were before.
struct NavigateFeature: Feature {
    let container: any Resolver
    let navigator: any Navigator
    let logger: Logger
    /// The file that keeps the place where the person is; `nil` if the settings name none.
    let file: StateFile?
    /// The link to begin with where nothing was saved.
    let start: String

    func launch(_ launch: Launch) async throws -> ExitCode {
        let (link, saved, printsState) = try launch.parse(
            .optionalArgument("LINK", help: "the screens, as in eaves://login/home"),
            .option("--state", value: "FILE", help: "open the screens of a state that was printed"),
            .flag("--print-state", help: "print the open screens as JSON at the end"))
        if link != nil, saved != nil {
            throw UsageError("a link and a state cannot be opened at once", fix: "leave one out")
        }
        do {
            let end = try await open(link: link, saved: saved, launch.console)
            if printsState { try launch.console.print(try StateFile.json(of: end)) }
            return .success
        } catch let error as LinkError {
            throw UsageError(error.description, fix: error.fix)
        }
    }

    private func open(
        link: String?, saved: String?, _ console: any Console
    ) async throws -> NavigationState {
        if let link {
            let state = NavigationState(try Link.steps(of: link))
            return try await navigator.run(state, in: container, on: console)
        }
        if let saved {
            return try await navigator.run(try state(in: saved), in: container, on: console)
        }
        if let state = try restored(console), !state.steps.isEmpty {
            do {
                return try await goOn(from: state, console)
            } catch  where Self.isAboutScreen(error) {
                // A module or a binding may be gone since the state was saved.
                let reason = "\(error)".prefix { $0 != "\n" }
                console.warn("The screens where you were cannot be opened: \(reason)")
            }
        }
        return try await goOn(from: NavigationState(try Link.steps(of: start)), console)
    }

    /// Shows the screens, and saves the place whenever it may have changed.
    private func goOn(
        from state: NavigationState, _ console: any Console
    ) async throws -> NavigationState {
        try await navigator.run(state, in: container, on: console) { state in
            guard let file else { return }
            do { try file.save(state) } catch { logger.warning("\(error)") }
        }
    }

    /// Whether a screen of a saved state is not there any more, or does not take its parameters.
    private static func isAboutScreen(_ error: any Error) -> Bool {
        if error is LinkError { return true }
        guard let error = error as? ResolutionError, case .notRegistered = error.reason else {
            return false
        }
        return error.wanted.name != nil
    }

    /// The state that the person names.
    private func state(in path: String) throws -> NavigationState {
        let hint = "name a file with a state that '--print-state' has printed"
        do throws(StateFileError) {
            if let state = try StateFile(path: path).load() { return state }
        } catch {
            throw UsageError(error.description, fix: hint)
        }
        throw UsageError("there is no file '\(path)'", fix: hint)
    }

    /// The place where the person was. A damaged file is set aside, and nothing of it is lost.
    private func restored(_ console: any Console) throws -> NavigationState? {
        guard let file else { return nil }
        do throws(StateFileError) {
            return try file.load()
        } catch {
            guard case .noState = error else { throw error }
            try file.setAside()
            console.warn("\(error); it is now called \(file.path).damaged")
            return nil
        }
    }
}
