// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

/// An interface gets a requirement that has no default, keeps its version, and is built again; a module that was built
/// before implements the protocol.
@Suite("an interface that changed without its version", .onOwnThreads)
struct ChangedInterfaceTests {
    /// Swift's own backtrace takes seconds.
    private static let noBacktrace = ["SWIFT_BACKTRACE": "enable=no"]

    private static let source = "Plugins/WeatherAPI/Weather.swift"
    private static let first = """
        public protocol WeatherService: Sendable { func report() -> String }
        extension WeatherService {
            public func first(_ count: Int) -> String {
                precondition(count > 0, "nothing to report")
                return report()
            }
        }
        public protocol Shelf { associatedtype Item; func item() -> Item }

        """
    private static let lacking = "'WeatherAPI.WeatherService.wind() -> Swift.Int'"
    private static let problem =
        "sunny: it lacks what the interface 'weather-api' requires without a default since it was built: "
        + "\(lacking) in Plugins/weather-api.so (Plugins/sunny.so)"

    /// An interface, a module that implements it and a feature that calls it, all built.
    private static let built = Result {
        let workspace = try Workspace(modules: [])
        try workspace.manifest(#"{ "manifest": 1 }"#)
        let folder = workspace.folder
        try folder.write(
            #"{"id": "weather-api", "version": "1.0.0", "layer": "interface"}"#,
            to: "Plugins/WeatherAPI/module.json")
        try folder.write(first, to: source)
        try folder.write(
            """
            {"id": "sunny", "version": "1.0.0", "layer": "core", "interfaces": ["weather-api"],
             "provides": [{"service": "WeatherService"}]}
            """, to: "Plugins/Sunny/module.json")
        try folder.write(
            """
            import EavesInterface
            import WeatherAPI

            struct Sunny: WeatherService { func report() -> String { "sunny" } }
            struct Box: Shelf { func item() -> Int { 1 } }

            enum SunnyModule: Module {
                static func register(in registrar: any Registrar) {
                    registrar.register((any WeatherService).self, scope: .transient) { _ in Sunny() }
                }
            }

            """, to: "Plugins/Sunny/Sunny.swift")
        try folder.write(
            """
            {"id": "forecast", "version": "1.0.0", "layer": "feature", "interfaces": ["weather-api"],
             "requires": ["WeatherService"], "features": [{"name": "forecast"}]}
            """, to: "Plugins/Forecast/module.json")
        try folder.write(forecast("report()"), to: "Plugins/Forecast/Forecast.swift")
        let outcome = try workspace.eaves("build")
        guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
        return workspace
    }

    private func workspace() throws -> Workspace {
        try Workspace(copying: Self.built.get().url.path)
    }

    private static func forecast(_ call: String) -> String {
        """
        import EavesInterface
        import WeatherAPI

        struct Forecast: Feature {
            let weather: any WeatherService
            func launch(_ launch: Launch) async throws -> ExitCode {
                try launch.console.print("\\(weather.\(call))")
                return .success
            }
        }

        enum ForecastModule: Module {
            static func register(in registrar: any Registrar) {
                registrar.registerFeature("forecast") {
                    Forecast(weather: try $0.resolve((any WeatherService).self))
                }
            }
        }

        """
    }

    /// Lets the protocol have a further requirement. The module that implements it stays as it is: its sources are
    /// gone.
    private func grow(_ workspace: Workspace, default implementation: String = "") throws {
        try FileManager.default.removeItem(
            at: workspace.plugins.appendingPathComponent("Sunny"))
        let text = Self.first.replacing(
            "func report() -> String }", with: "func wind() -> Int; func report() -> String }")
        try workspace.folder.write(text + implementation, to: Self.source)
    }

    @Test("is kept by the modules that were built against it, also by types with associated types")
    func unchanged() throws {
        let workspace = try workspace()
        let validated = try workspace.eaves("validate")
        #expect(validated.code == 0, "\(validated)")
        for rule in ["requirements", "module-symbols", "symbols"] {
            let verified = try workspace.eaves("verify", "--only", rule, "sunny")
            #expect(verified.code == 0, "\(verified)")
        }
    }

    @Test("is built with a warning that names the modules that break, and asks for the version")
    func built() throws {
        let workspace = try workspace()
        try grow(workspace)
        let outcome = try workspace.eaves("build")
        #expect(outcome.code == 0, "\(outcome)")
        #expect(
            outcome.errors.contains(
                "warning: weather-api: its version is still 1.0, and it breaks modules that were built "
                    + "against the file that it replaces: 'sunny' lacks \(Self.lacking)\n"),
            "\(outcome)")
        #expect(
            outcome.errors.contains(
                "write the version 2.0.0 into its module.json, and build 'sunny' again"),
            "\(outcome)")
        // This build has built 'forecast' again, and nothing is new in the next one.
        #expect(!outcome.errors.contains("'forecast' "), "\(outcome)")
        #expect(try !workspace.eaves("build", "--force").errors.contains("its version is still"))
    }

    @Test("is built without a warning if its version says so")
    func builtWithVersion() throws {
        let workspace = try workspace()
        try grow(workspace)
        try workspace.folder.write(
            #"{"id": "weather-api", "version": "2.0.0", "layer": "interface"}"#,
            to: "Plugins/WeatherAPI/module.json")
        let outcome = try workspace.eaves("build")
        #expect(outcome.code == 0, "\(outcome)")
        #expect(!outcome.errors.contains("its version is still"), "\(outcome)")
    }

    @Test("keeps the module that lacks the requirement out, in the same words everywhere")
    func refused() throws {
        let workspace = try workspace()
        try grow(workspace)
        #expect(try workspace.eaves("build").code == 0)
        for _ in 0..<2 {
            try workspace.expectListed("Plugins/sunny.so", as: "incompatible", Self.problem)
            try workspace.expectListed("Plugins/forecast.so", as: "ready", nil)
            #expect(try workspace.eaves("list").errors.contains(Self.problem))
            for arguments in [
                ["launch", "forecast"], ["launch", "--no-build", "forecast"], ["inspect", "sunny"],
                ["inspect", "Plugins/sunny.so"], ["validate", "--json"],
                ["verify", "--only", "requirements", "sunny"],
                ["verify", "--only", "requirements", "Plugins/sunny.so"],
            ] {
                let outcome = try workspace.eaves(arguments)
                #expect(outcome.code == 76, "\(arguments): \(outcome)")
                #expect(
                    (outcome.output + outcome.errors).contains(Self.problem),
                    "\(arguments): \(outcome)")
            }
            // From the second time on, the cache knows the files.
            try workspace.folder.settle()
        }
        let verified = try workspace.eaves("verify", "--only", "interfaces", "sunny")
        #expect(verified.code == 0, "\(verified)")
    }

    @Test("keeps no module from being used if the requirement has a default")
    func hasDefault() throws {
        let workspace = try workspace()
        try grow(
            workspace, default: "extension WeatherService { public func wind() -> Int { 7 } }\n")
        try workspace.folder.write(
            Self.forecast("wind()"), to: "Plugins/Forecast/Forecast.swift")
        let built = try workspace.eaves("build")
        #expect(built.code == 0 && !built.errors.contains("warning"), "\(built)")
        try workspace.expectListed("Plugins/sunny.so", as: "ready", nil)
        let outcome = try workspace.eaves("launch", "forecast")
        #expect(outcome.output == "7\n", "\(outcome)")
    }

    /// A file without a table of sections does not tell what it implements, so that the module is loaded.
    @Test("a call that leads nowhere counts against the module that lacks the requirement")
    func callOfNothing() throws {
        let workspace = try workspace()
        try grow(workspace)
        try workspace.folder.write(
            Self.forecast("wind()"), to: "Plugins/Forecast/Forecast.swift")
        #expect(try workspace.eaves("build").code == 0)
        let file = workspace.plugins.appendingPathComponent("sunny.so")
        var bytes = try Array(Data(contentsOf: file))
        // The place of the table, and further on the size and the number of its entries.
        for index in Array(40..<48) + Array(58..<64) { bytes[index] = 0 }
        try Data(bytes).write(to: file)
        try expectCrashes(workspace, of: "sunny", signals: [SIGSEGV])
    }

    @Test("a trap in the interface's own code counts against the module that called it")
    func trapInInterface() throws {
        let workspace = try workspace()
        try workspace.folder.write(
            Self.forecast("first(0)"), to: "Plugins/Forecast/Forecast.swift")
        #expect(try workspace.eaves("build").code == 0)
        try expectCrashes(workspace, of: "forecast", signals: [SIGILL, SIGTRAP])
    }

    /// Launches the feature three times, and checks that one module alone is in quarantine then.
    private func expectCrashes(
        _ workspace: Workspace, of module: String, signals: [Int32],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for _ in 0..<3 {
            let outcome = try workspace.eaves(
                "launch", "--no-build", "forecast", environment: Self.noBacktrace)
            #expect(
                outcome.signal.map(signals.contains) == true, "\(outcome)",
                sourceLocation: sourceLocation)
            #expect(
                outcome.errors.contains("error: \(module): crashed with "), "\(outcome)",
                sourceLocation: sourceLocation)
        }
        let states = Dictionary(
            uniqueKeysWithValues: try workspace.list().modules.map { ($0.id, $0.state) })
        #expect(
            states.filter { $0.value == "quarantined" }.map(\.key) == [module],
            sourceLocation: sourceLocation)
    }
}
