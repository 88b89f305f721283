// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesInterface
import Synchronization

/// Opens further screens for the screen that it belongs to.
///
/// A router carries the container, and it alone resolves. View models do not see it: they get it as a
/// composition of the routes that they use, such as `any HomeRoute & PopUpRoute`.
public protocol Router: Sendable {
    /// The container that all routers of a run share.
    var container: any Resolver { get }
    /// The open screens.
    var navigation: any Navigation { get }
    /// The screen that the router belongs to.
    var screen: ScreenID { get }
}

/// The router that each open screen gets. It knows all routes of the common interface.
///
/// A route that an interface module of your own declares becomes one of it with
/// `extension ScreenRouter: MyRoute {}` in that interface module.
public struct ScreenRouter: Router {
    /// The container that all routers of a run share.
    public let container: any Resolver
    /// The open screens.
    public let navigation: any Navigation
    /// The screen that the router belongs to.
    public let screen: ScreenID

    /// Creates the router of a screen.
    ///
    /// - Parameters:
    ///   - container: The container that all routers of a run share.
    ///   - navigation: The open screens.
    ///   - screen: The screen that the router belongs to.
    public init(container: any Resolver, navigation: any Navigation, screen: ScreenID) {
        self.container = container
        self.navigation = navigation
        self.screen = screen
    }
}

extension Router {
    /// Opens a screen, and returns as soon as it is open.
    ///
    /// - Parameters:
    ///   - link: The link that leads to the screen, for a saved state.
    ///   - place: The screen's place among the others.
    ///   - model: A function that creates the model for the new screen's router.
    public func open(
        _ link: Link, as place: ScreenPlace = .pushed,
        model: @Sendable (ScreenRouter) throws -> any ScreenModel
    ) async throws {
        try await navigation.open(link, as: place, from: screen, model: model)
    }

    /// Opens a screen as a dialogue, and waits for its result.
    ///
    /// - Parameters:
    ///   - link: The link that leads to the screen.
    ///   - model: A function that creates the model for the new screen's router. The model calls the second parameter
    ///     with the result, which closes the screen.
    /// - Returns: The result.
    /// - Throws: ``NoResult`` if the screen was closed without a result; the error of `model`.
    public func result<Result: Sendable>(
        of link: Link,
        model:
            @Sendable (ScreenRouter, _ finish: @escaping @Sendable (Result) async -> Void) throws
            -> any ScreenModel
    ) async throws -> Result {
        let kept = Kept<Result>()
        let end = try await navigation.openAndWait(link, from: screen) { router in
            try model(router) { value in
                kept.value.withLock { $0 = value }
                await router.navigation.close(router.screen, .finished)
            }
        }
        switch (end, kept.value.withLock { $0 }) {
        case (.finished, let value?): return value
        case (.replaced, _): throw NoResult.replaced
        default: throw NoResult.cancelled
        }
    }
}

/// Keeps a result until the screen is closed.
private final class Kept<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}

/// The way out of a screen.
public protocol CloseRoute: Sendable {
    /// Closes this screen, so that the one below is shown.
    func close() async

    /// Closes all screens but the lowest one.
    func closeToRoot() async

    /// Shows this screen anew, because its model has something new to show.
    func refresh() async
}

extension CloseRoute where Self: Router {
    /// Closes this screen, so that the one below is shown.
    public func close() async { await navigation.close(screen, .finished) }

    /// Closes all screens but the lowest one.
    public func closeToRoot() async { await navigation.closeToRoot() }

    /// Shows this screen anew, because its model has something new to show.
    public func refresh() async { await navigation.refresh(screen) }
}

extension ScreenRouter: CloseRoute {}
