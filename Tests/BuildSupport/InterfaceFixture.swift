// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesBuild
package import EavesCompiler
package import EavesDeclaration
package import EavesSystem
package import EavesTestSupport

/// A folder `Plugins` in which interface modules are built, and modules against them.
package struct InterfaceFixture {
    package let plugins: PluginFixture
    package var builder: Builder { plugins.builder }
    package var scratch: TemporaryFolder { plugins.scratch }

    package init(environment: Environment = .current, host: HostFixture? = nil) throws {
        plugins = try PluginFixture(host: host, environment: environment)
    }

    package init(plugins: PluginFixture) {
        self.plugins = plugins
    }

    package static let weather = """
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
    package func addInterface(
        _ folder: String, id: String, version: String = "1.0.0", module: String? = nil,
        interfaces: [String] = [], source: String = Self.weather
    ) throws -> BuildRequest {
        let name = module.map { #", "module": "\#($0)""# } ?? ""
        try scratch.write(
            #"{ "id": "\#(id)", "version": "\#(version)", "layer": "interface"\#(name)"#
                + #", "interfaces": \#(Self.list(interfaces)) }"#,
            to: "Plugins/\(folder)/module.json")
        try scratch.write(source, to: "Plugins/\(folder)/\(folder).swift")
        return request(folder, id)
    }

    /// The file of `weather-api` in version 1.2.0, which is built once. No test changes it.
    package static let made = Result {
        let fixture = try InterfaceFixture()
        let request = try fixture.addInterface("WeatherAPI", id: "weather-api", version: "1.2.0")
        let results = fixture.build(request)
        guard results == ["weather-api: built"] else { throw FixtureError("\(results)") }
        return (file: request.output, fixture: fixture)
    }

    /// Writes a module that provides services, and requires others.
    @discardableResult
    package func addModule(
        _ folder: String, id: String, interfaces: [String] = [], provides: [String] = [],
        requires: [String] = [], source: String = ""
    ) throws -> BuildRequest {
        let provisions = provides.map { #"{ "service": "\#($0)" }"# }.joined(separator: ", ")
        try scratch.write(
            #"{ "id": "\#(id)", "version": "1.0.0", "layer": "feature", "interfaces": "#
                + #"\#(Self.list(interfaces)), "provides": [\#(provisions)], "#
                + #""requires": \#(Self.list(requires)) }"#, to: "Plugins/\(folder)/module.json")
        try scratch.write(
            """
            import EavesInterface
            \(source)
            enum \(folder)Module: Module { static var name: String { "\(folder)" } }

            """, to: "Plugins/\(folder)/\(folder).swift")
        return request(folder, id)
    }

    /// Writes a module that implements `WeatherService`.
    @discardableResult
    package func addProvider(
        _ folder: String = "Sunny", id: String = "sunny"
    ) throws -> BuildRequest {
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

    package func request(_ folder: String, _ id: String) -> BuildRequest {
        BuildRequest(
            id: id, folder: scratch.file("Plugins/\(folder)"),
            output: scratch.file("Plugins/\(id).so"), base: scratch.path)
    }

    /// Builds modules. Returns for each result its id and what was done.
    @discardableResult
    package func build(_ requests: BuildRequest...) -> [String] {
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
    package func error(_ requests: BuildRequest...) throws -> BuildError {
        let results = builder.build(requests)
        guard let error = results.lazy.compactMap(\.error).first else {
            throw FixtureError("built without an error: \(results.map(\.outcome))")
        }
        return error
    }

    package func note(_ request: BuildRequest) throws -> ModuleNote {
        guard let note = ModuleContent(request.output).note else {
            throw FixtureError("\(request.output) has no note")
        }
        return note
    }

    private static func list(_ words: [String]) -> String {
        "[" + words.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    }
}
