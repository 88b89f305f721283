// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Opens a link, a saved state, or the screens where the person was.
struct NavigateFeature: Feature {
    let container: any Resolver
    let navigator: any Navigator
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
            return try await run(NavigationState(try Link.steps(of: link)), console)
        }
        if let saved {
            return try await run(try state(in: saved), console)
        }
        if let state = try restored(console), !state.steps.isEmpty {
            do {
                return try await run(state, console)
            } catch let error as LinkError {
                // A module may be gone since the state was saved.
                console.warn("The screens where you were cannot be opened: \(error).")
            }
        }
        return try await run(NavigationState(try Link.steps(of: start)), console)
    }

    private func run(
        _ state: NavigationState, _ console: any Console
    ) async throws -> NavigationState {
        try await navigator.run(state, in: container, on: console)
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
