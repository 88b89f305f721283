// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesSystem
import Testing

@testable import EavesBuild

/// Modules that are Swift packages, built with the toolchain's SwiftPM and without a network.
@Suite("Swift packages", .serialized, .timeLimit(.minutes(30))) struct PackageBuildTests {
    /// Writes a package that depends on another one, which depends on a third.
    private func add(
        _ plugins: PluginFixture, library: String = ", type: .dynamic"
    ) throws -> BuildRequest {
        let scratch = plugins.scratch
        try scratch.write("Plugins/Weather/module.json", PluginFixture.declaration("weather"))
        try scratch.write(
            "Plugins/Weather/Package.swift",
            Self.manifest("Weather", dependsOn: "Formats", at: "../../Formats", library: library))
        try scratch.write(
            "Plugins/Weather/Sources/Weather/WeatherModule.swift",
            """
            import EavesInterface
            import Formats
            enum WeatherModule: Module { static var name: String { text(of: 21) } }

            """)
        try scratch.write(
            "Formats/Package.swift", Self.manifest("Formats", dependsOn: "Units", at: "../Units"))
        try scratch.write(
            "Formats/Sources/Formats/Formats.swift",
            """
            import Units
            public struct Format { public init() {} }
            public func text(of degrees: Int) -> String { "\\(degrees) \\(unit)" }

            """)
        try scratch.write("Units/Package.swift", Self.manifest("Units"))
        try scratch.write("Units/Sources/Units/Units.swift", "public let unit = \"°C\"\n")
        return BuildRequest(
            id: "weather", folder: scratch.path("Plugins/Weather"),
            output: scratch.path("Plugins/weather.so"), base: scratch.path)
    }

    private static func manifest(
        _ name: String, dependsOn other: String? = nil, at path: String = "", library: String = ""
    ) -> String {
        let packages = other.map { _ in ".package(path: \"\(path)\")" } ?? ""
        let products = other.map { ".product(name: \"\($0)\", package: \"\($0)\")" } ?? ""
        return """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(
                name: "\(name)",
                products: [.library(name: "\(name)"\(library), targets: ["\(name)"])],
                dependencies: [\(packages)],
                targets: [.target(name: "\(name)", dependencies: [\(products)])])

            """
    }

    private func isBuilt(_ result: BuildResult) -> Bool {
        if case .built = result.outcome { true } else { false }
    }

    @Test(
        "become one file with their packages, and are built again when one of them changes",
        arguments: BuildConfiguration.allCases)
    func built(configuration: BuildConfiguration) throws {
        let plugins = try PluginFixture()
        var request = try add(plugins)
        request.configuration = configuration
        var printed = ""
        let result = plugins.builder.build([request]) { event in
            if case .printed(_, let text) = event { printed += text }
        }[0]
        #expect(result.error == nil, "\(result.compilerOutput)")
        #expect(isBuilt(result))
        #expect(printed == "")

        let note = try #require(ModuleContent(request.output).note)
        #expect(note.declaration.id == "weather")
        #expect(note.tag.interface == InterfaceVersion(major: 1, minor: 4))
        let report = try BinaryReport(of: request.output)
        #expect(report.hasEntry)
        #expect(report.runpath == nil && report.rpath == nil)
        #expect(report.needed.allSatisfy { $0.hasPrefix("libswift") || $0 == "libc.so.6" })
        #expect(report.definedNames().contains("$s7Formats6FormatVMn"))
        // The interface is the host's.
        #expect(!report.definedNames().contains("$s14EavesInterface6ModuleMp"))
        #expect(report.undefinedNames().contains { $0.hasPrefix("$s14EavesInterface") })

        #expect(plugins.builder.freshness(of: request) == .fresh)
        guard case .upToDate = plugins.builder.build([request])[0].outcome else {
            Issue.record("was built again without a reason")
            return
        }
        try plugins.scratch.write("Units/Sources/Units/Units.swift", "public let unit = \"°F\"\n")
        #expect(plugins.builder.freshness(of: request) == .stale)
        #expect(isBuilt(plugins.builder.build([request])[0]))
        let bytes = try Files.read(request.output)
        #expect(bytes.count > 0)
        #expect(ModuleContent(request.output).tag?.inputs != note.tag.inputs)
    }

    @Test("are compiled against the interfaces that module.json names")
    func interfaces() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins)
        try plugins.scratch.write(
            "Plugins/Weather/module.json",
            """
            { "id": "weather", "version": "1.0.0", "layer": "feature", "interfaces": ["api"],
              "provides": [{ "service": "Forecast" }] }
            """)
        try plugins.scratch.write(
            "Plugins/Weather/Sources/Weather/Live.swift",
            """
            import WeatherAPI
            public struct Live: Forecast {}

            """)
        try plugins.scratch.write(
            "Plugins/api/module.json",
            #"{ "id": "api", "version": "1.2.0", "layer": "interface", "module": "WeatherAPI" }"#)
        try plugins.scratch.write("Plugins/api/Forecast.swift", "public protocol Forecast {}\n")
        let results = plugins.builder.build([request])
        #expect(results.allSatisfy { $0.error == nil }, "\(results.map(\.compilerOutput))")
        let note = try #require(ModuleContent(request.output).note)
        #expect(note.declaration.interfaces.map(\.id) == ["api"])
        #expect(note.declaration.provides.map(\.service) == ["WeatherAPI.Forecast"])
        let report = try BinaryReport(of: request.output)
        #expect(report.undefinedNames().contains("$s10WeatherAPI8ForecastMp"))
    }

    @Test("are told which product is missing")
    func noProduct() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins, library: "")
        let error = try #require(plugins.builder.build([request])[0].error)
        #expect(
            error.diagnostics[0].message
                == "weather: Plugins/Weather/Package.swift: expected a product that is a dynamic "
                + "library, found 'Weather'")
        #expect(
            error.diagnostics[0].fix
                == #"add one: .library(name: "Weather", type: .dynamic, targets: ["Weather"])"#)
    }

    @Test("with a manifest that does not compile are an error with SwiftPM's words")
    func badManifest() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins)
        try plugins.scratch.write(
            "Plugins/Weather/Package.swift", "// swift-tools-version: 6.0\nnonsense\n")
        let error = try #require(plugins.builder.build([request])[0].error)
        guard
            case .dependency(.badManifest("Plugins/Weather/Package.swift", let reason)) = error
                .cause
        else {
            Issue.record("\(error)")
            return
        }
        #expect(reason.contains("nonsense"))
        #expect(error.diagnostics[0].code == .badData)
    }

    @Test("that do not compile, or have no module type, leave the old file")
    func mistakes() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins)
        try plugins.scratch.write("Plugins/weather.so", "old")
        let source = "Plugins/Weather/Sources/Weather/WeatherModule.swift"
        try plugins.scratch.write(source, "import Formats\n")
        let none = try #require(plugins.builder.build([request])[0].error)
        guard case .entry(.noModuleType) = none.cause else {
            Issue.record("\(none)")
            return
        }
        try plugins.scratch.write(source, "import Formats\nenum WeatherModule {}\n")
        let other = try #require(plugins.builder.build([request])[0].error)
        #expect(
            other.diagnostics[0].message
                == "weather: 'WeatherModule' does not conform to Module "
                + "(Plugins/Weather/Sources/Weather/WeatherModule.swift:2)")
        try plugins.scratch.write(source, "import Nowhere\nenum WeatherModule {}\n")
        let result = plugins.builder.build([request])[0]
        #expect(result.error?.cause == .dependency(.noSuchModule(name: "Nowhere", .unknown)))
        #expect(result.compilerOutput.contains("WeatherModule.swift:1:8: error: no such module"))
        #expect(try plugins.scratch.text("Plugins/weather.so") == "old")
    }

    @Test("that link the interface itself are refused")
    func carriesInterface() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins)
        let scratch = plugins.scratch
        try scratch.write("Units/Package.swift", Self.manifest("EavesInterface"))
        try scratch.write(
            "Units/Sources/EavesInterface/I.swift",
            "public protocol Module { static var name: String { get } }\n")
        try scratch.write(
            "Formats/Package.swift",
            Self.manifest("Formats", dependsOn: "EavesInterface", at: "../Units")
                .replacingName("package: \"EavesInterface\"", "package: \"Units\""))
        try scratch.write(
            "Formats/Sources/Formats/Formats.swift",
            "import EavesInterface\npublic func text(of degrees: Int) -> String { \"\" }\n")
        try scratch.write(
            "Plugins/Weather/Sources/Weather/Entry.swift",
            """
            @c(eaves_register)
            public func eavesRegister(_ host: UnsafeRawPointer) -> Int32 { 0 }

            """)
        try scratch.write(
            "Plugins/Weather/Sources/Weather/WeatherModule.swift",
            "import EavesInterface\nenum WeatherModule: Module { static var name: String { \"\" } }\n"
        )
        let result = plugins.builder.build([request])[0]
        #expect(
            result.error?.cause == .dependency(.carriesInterface(folder: "Plugins/Weather")),
            "\(result.compilerOutput)")
    }
}

extension String {
    fileprivate func replacingName(_ text: String, _ other: String) -> String {
        guard let range = firstRange(of: text) else { return self }
        var copy = self
        copy.replaceSubrange(range, with: other)
        return copy
    }

    private func firstRange(of text: String) -> Range<Index>? {
        indices.first { self[$0...].hasPrefix(text) }
            .map { $0..<index($0, offsetBy: text.count) }
    }
}
