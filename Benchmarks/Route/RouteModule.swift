// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Registers the benchmark, which opens the pop-up of another module.
enum RouteModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerFeature("route-benchmark") { RouteBenchmark(container: $0) }
    }
}

/// Opens the same screen many times: by a route to another module, and by the same calls in this one.
struct RouteBenchmark: Feature {
    let container: any Resolver

    func launch(_ launch: Launch) async throws -> ExitCode {
        let rounds = try launch.parse(.option("--rounds", default: 101, help: "how many rounds"))
        let navigation = CountingNavigation(container: container)
        let routed = ScreenRouter(
            container: container, navigation: navigation, screen: ScreenID(1))
        let direct = DirectRouter(navigation: navigation)
        var times: [(routed: Double, direct: Double)] = []
        // The first round loads the module, and is not counted.
        for round in 0...rounds {
            let time = (
                routed: try await nanoseconds { try await routed.openPopUp(message: "Hello") },
                direct: try await nanoseconds { try await direct.openPopUp(message: "Hello") }
            )
            if round > 0 { times.append(time) }
        }
        let ratios = times.map { $0.routed / $0.direct }
        try launch.console.print("| opening a pop-up | ns | ratio |\n| --- | --- | --- |")
        try launch.console.print(
            "| the same calls in one binary | \(whole(median(times.map(\.direct)))) | 1.00 |")
        try launch.console.print(
            "| a route to another module | \(whole(median(times.map(\.routed)))) "
                + "| \(hundredths(median(ratios))) |")
        return .success
    }

    private func nanoseconds(_ open: () async throws -> Void) async throws -> Double {
        let count = 2_000
        let start = ContinuousClock.now
        for _ in 0..<count { try await open() }
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(count)
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    private func whole(_ value: Double) -> String { "\(Int(value.rounded()))" }

    private func hundredths(_ value: Double) -> String {
        let number = Int((value * 100).rounded())
        return "\(number / 100).\(number % 100 < 10 ? "0" : "")\(number % 100)"
    }
}

/// Makes the models of all screens that are opened, and asks each for its screen, as a navigation does.
actor CountingNavigation: Navigation {
    private let container: any Resolver
    private var count = 0

    init(container: any Resolver) {
        self.container = container
    }

    func open(
        _ link: Link, as place: ScreenPlace, from opener: ScreenID,
        model: @Sendable (ScreenRouter) throws -> any ScreenModel
    ) async throws {
        count += 1
        let router = ScreenRouter(
            container: container, navigation: self, screen: ScreenID(count))
        _ = await (try model(router)).screen()
    }

    func openAndWait(
        _ link: Link, from opener: ScreenID,
        model: @Sendable (ScreenRouter) throws -> any ScreenModel
    ) async throws -> ScreenEnd { .cancelled }

    func close(_ screen: ScreenID, _ end: ScreenEnd) {}
    func closeToRoot() {}
    func refresh(_ screen: ScreenID) {}
}

/// The pop-up as a program would have it that is one binary.
struct DirectRouter {
    let navigation: CountingNavigation

    func openPopUp(message: String) async throws {
        let factory = DirectFactory()
        try await navigation.open(
            Link("popup", ["message": message]), as: .modal, from: ScreenID(1)
        ) { factory.makePopUp(message: message, router: $0) }
    }
}

struct DirectFactory {
    func makePopUp(message: String, router: ScreenRouter) -> DirectModel {
        DirectModel(message: message, route: router)
    }
}

final class DirectModel: PopUpViewModelInterface {
    let message: String
    private let route: any CloseRoute

    init(message: String, route: any CloseRoute) {
        self.message = message
        self.route = route
    }

    func screen() async -> Screen {
        Screen("Message", [.text(message)], actions: [Screen.Action("ok", "OK")])
    }

    func handle(_ input: ScreenInput) async throws { await route.close() }
}
