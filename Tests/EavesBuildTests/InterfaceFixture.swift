// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesSystem
import Testing

@testable import EavesBuild

/// A folder `Plugins` in which interface modules are built, and modules against them.
struct InterfaceFixture {
    let plugins: PluginFixture
    var builder: Builder { plugins.builder }
    var scratch: Scratch { plugins.scratch }

    init(environment: Environment = .current, host: HostFixture? = nil) throws {
        plugins = try PluginFixture(host: host, environment: environment)
    }

    init(plugins: PluginFixture) {
        self.plugins = plugins
    }

    static let weather = """
        public protocol WeatherService: Sendable {
            func report(for city: String) async throws -> Report
        }

        public struct Report: Sendable {
            public var text: String
            public init(text: String) { self.text = text }
            public protocol Reader { func read() -> String }
        }

        extension Report {
            public protocol Archive<Entry> { associatedtype Entry }
        }

        protocol Hidden {}

        extension WeatherService {
            public func short() -> String { "short" }
        }

        """

    /// Writes an interface module.
    @discardableResult
    func addInterface(
        _ folder: String, id: String, version: String = "1.0.0", module: String? = nil,
        interfaces: [String] = [], source: String = Self.weather
    ) throws -> BuildRequest {
        let name = module.map { #", "module": "\#($0)""# } ?? ""
        try scratch.write(
            "Plugins/\(folder)/module.json",
            #"{ "id": "\#(id)", "version": "\#(version)", "layer": "interface"\#(name)"#
                + #", "interfaces": \#(Self.list(interfaces)) }"#)
        try scratch.write("Plugins/\(folder)/\(folder).swift", source)
        return request(folder, id)
    }

    /// Writes a module that provides services, and requires others.
    @discardableResult
    func addModule(
        _ folder: String, id: String, interfaces: [String] = [], provides: [String] = [],
        requires: [String] = [], source: String = ""
    ) throws -> BuildRequest {
        let provisions = provides.map { #"{ "service": "\#($0)" }"# }.joined(separator: ", ")
        try scratch.write(
            "Plugins/\(folder)/module.json",
            #"{ "id": "\#(id)", "version": "1.0.0", "layer": "feature", "interfaces": "#
                + #"\#(Self.list(interfaces)), "provides": [\#(provisions)], "#
                + #""requires": \#(Self.list(requires)) }"#)
        try scratch.write(
            "Plugins/\(folder)/\(folder).swift",
            """
            import EavesInterface
            \(source)
            enum \(folder)Module: Module { static var name: String { "\(folder)" } }

            """)
        return request(folder, id)
    }

    /// Writes a module that implements `WeatherService`.
    @discardableResult
    func addProvider(_ folder: String = "Sunny", id: String = "sunny") throws -> BuildRequest {
        try addModule(
            folder, id: id, interfaces: ["weather-api"], provides: ["WeatherService"],
            source: """
                import WeatherAPI

                struct Live: WeatherService {
                    func report(for city: String) async throws -> Report { Report(text: city) }
                }

                public func live() -> any WeatherService { Live() }

                """)
    }

    func request(_ folder: String, _ id: String) -> BuildRequest {
        BuildRequest(
            id: id, folder: scratch.path("Plugins/\(folder)"),
            output: scratch.path("Plugins/\(id).so"), base: scratch.path)
    }

    /// Builds modules. Returns for each result its id and what was done.
    @discardableResult
    func build(_ requests: BuildRequest...) -> [String] {
        builder.build(requests).map { result in
            switch result.outcome {
            case .upToDate: return "\(result.id): up to date"
            case .built: return "\(result.id): built"
            case .failed(let error):
                return "\(error)" + (error.cause == .compilation ? result.compilerOutput : "")
            }
        }
    }

    /// The first error of a build.
    func error(_ requests: BuildRequest...) throws -> BuildError {
        let results = builder.build(requests)
        return try #require(
            results.lazy.compactMap(\.error).first, "\(results.map(\.outcome))")
    }

    func note(_ request: BuildRequest) throws -> ModuleNote {
        try #require(ModuleContent(request.output).note)
    }

    private static func list(_ words: [String]) -> String {
        "[" + words.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    }
}
