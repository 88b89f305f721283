// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesInterface

/// Runs the screens of an application: the service that features start.
public protocol Navigator: Sendable {
    /// Shows screens until the person leaves the last one, or the application.
    ///
    /// - Parameters:
    ///   - state: The screens to begin with, such as of a link or of a saved state.
    ///   - container: Resolves destinations, factories and the renderer. Each screen's router carries
    ///     it.
    ///   - console: The input and output.
    ///   - keep: A function that gets the place where the person is, whenever it may have changed.
    /// - Returns: The place where the person was at the end; empty after leaving the last screen.
    /// - Throws: ``LinkError`` if the parameters of a screen are wrong; ``EavesInterface/ResolutionError``
    ///   if a screen does not exist; any error of the renderer.
    func run(
        _ state: NavigationState, in container: any Resolver, on console: any Console,
        keeping keep: @escaping @Sendable (NavigationState) async -> Void
    ) async throws -> NavigationState
}

extension Navigator {
    /// Shows screens as a visit: nothing keeps the place where the person is.
    ///
    /// - Parameters:
    ///   - state: The screens to begin with, such as of a link.
    ///   - container: Resolves destinations, factories and the renderer.
    ///   - console: The input and output.
    /// - Returns: The place where the person was at the end; empty after leaving the last screen.
    /// - Throws: As the function with `keeping`.
    public func run(
        _ state: NavigationState, in container: any Resolver, on console: any Console
    ) async throws -> NavigationState {
        try await run(state, in: container, on: console) { _ in }
    }
}

/// The place where a person is: all open screens, as a value that can be printed, saved and opened again.
public struct NavigationState: Hashable, Sendable, Codable {
    /// An open screen.
    public struct Step: Hashable, Sendable, Codable {
        /// The link that leads to the screen, as a deep link of one step.
        public var link: String
        /// Whether the screen lies above another one, as a dialogue does.
        public var isModal: Bool
        /// The state that the screen's model has given.
        public var state: [String: String]
        /// The texts that are filled in, without secrets.
        public var form: [String: String]

        /// Creates an open screen.
        ///
        /// - Parameters:
        ///   - link: The link that leads to the screen.
        ///   - isModal: Whether the screen lies above another one, as a dialogue does.
        ///   - state: The state that the screen's model has given.
        ///   - form: The texts that are filled in, without secrets.
        public init(
            _ link: Link, isModal: Bool = false, state: [String: String] = [:],
            form: [String: String] = [:]
        ) {
            self.link = Link.url(of: [link])
            self.isModal = isModal
            self.state = state
            self.form = form
        }
    }

    /// The open screens, the lowest first.
    public var steps: [Step]

    /// Creates a state.
    ///
    /// - Parameter steps: The open screens, the lowest first.
    public init(_ steps: [Step] = []) {
        self.steps = steps
    }

    /// Creates the state in which the screens of a link are open.
    ///
    /// - Parameter links: The steps of the link.
    public init(_ links: [Link]) {
        self.init(links.map { Step($0) })
    }
}

/// The open screens of a run, as the routers of these screens see them. A navigator implements it.
public protocol Navigation: Sendable {
    /// Opens a screen, and returns as soon as it is open.
    ///
    /// - Parameters:
    ///   - link: The link that leads to the screen.
    ///   - place: The screen's place among the others.
    ///   - opener: The screen whose router opens it.
    ///   - model: A function that creates the model for the new screen's router.
    /// - Throws: The error of `model`.
    func open(
        _ link: Link, as place: ScreenPlace, from opener: ScreenID,
        model: @Sendable (ScreenRouter) throws -> any ScreenModel
    ) async throws

    /// Opens a screen above its opener, and waits until it is closed.
    ///
    /// A saved state leaves the screen out, since no task would wait for it any more.
    ///
    /// - Parameters:
    ///   - link: The link that leads to the screen.
    ///   - opener: The screen whose router opens it.
    ///   - model: A function that creates the model for the new screen's router.
    /// - Returns: The reason why the screen was closed.
    /// - Throws: The error of `model`.
    func openAndWait(
        _ link: Link, from opener: ScreenID,
        model: @Sendable (ScreenRouter) throws -> any ScreenModel
    ) async throws -> ScreenEnd

    /// Closes a screen and those above it. It does nothing if the screen is not open any more.
    ///
    /// - Parameters:
    ///   - screen: The screen.
    ///   - end: The reason, for the caller that waits for it.
    func close(_ screen: ScreenID, _ end: ScreenEnd) async

    /// Closes all screens but the lowest one.
    func closeToRoot() async

    /// Shows a screen anew, because its model has something new to show.
    func refresh(_ screen: ScreenID) async
}

/// Identifies an open screen within its run.
public struct ScreenID: Hashable, Sendable {
    /// A number that no other screen of the run has.
    public let number: Int

    /// Creates an identity.
    ///
    /// - Parameter number: A number that no other screen of the run has.
    public init(_ number: Int) {
        self.number = number
    }
}

/// The place of a new screen among those that are open.
public enum ScreenPlace: Hashable, Sendable {
    /// Above its opener, with a way back.
    case pushed
    /// Above its opener, as a dialogue.
    case modal
    /// In place of all open screens.
    case root
}

/// The reason why a screen was closed.
public enum ScreenEnd: Hashable, Sendable {
    /// It has done its work.
    case finished
    /// The person went back, or left the application.
    case cancelled
    /// Another screen took its place.
    case replaced
}

/// A screen that was opened for a result was closed without one.
public enum NoResult: Error, Hashable, Sendable, CustomStringConvertible {
    /// The person went back, or left the application.
    case cancelled
    /// Another screen took its place.
    case replaced

    /// The reason, in words.
    public var description: String {
        switch self {
        case .cancelled: "the person went back without a choice"
        case .replaced: "another screen took the place of the choice"
        }
    }
}
