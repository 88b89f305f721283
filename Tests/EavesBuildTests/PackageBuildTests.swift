// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
@testable import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesBuild

/// Modules that are Swift packages, built with the toolchain's SwiftPM and without a network.
@Suite("Swift packages", .onOwnThreads, .serialized, .patiently)
struct PackageBuildTests {
    /// Writes a package that depends on another one, which depends on a third.
    private func add(
        _ plugins: PluginFixture, library: String = ", type: .dynamic"
    ) throws -> BuildRequest {
        let scratch = plugins.scratch
        try scratch.write(PluginFixture.declaration("weather"), to: "Plugins/Weather/module.json")
        try scratch.write(
            Self.manifest("Weather", dependsOn: "Formats", at: "../../Formats", library: library),
            to: "Plugins/Weather/Package.swift")
        try scratch.write(
            """
            import EavesInterface
            import Formats
            enum WeatherModule: Module { static var name: String { text(of: 21) } }

            """, to: "Plugins/Weather/Sources/Weather/WeatherModule.swift")
        try scratch.write(
            Self.manifest("Formats", dependsOn: "Units", at: "../Units"),
            to: "Formats/Package.swift")
        try scratch.write(
            """
            import Units
            public struct Format { public init() {} }
            public func text(of degrees: Int) -> String { "\\(degrees) \\(unit)" }

            """, to: "Formats/Sources/Formats/Formats.swift")
        try scratch.write(Self.manifest("Units"), to: "Units/Package.swift")
        try scratch.write("public let unit = \"°C\"\n", to: "Units/Sources/Units/Units.swift")
        return BuildRequest(
            id: "weather", folder: scratch.file("Plugins/Weather"),
            output: scratch.file("Plugins/weather.so"), base: scratch.path)
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

    @Test("become one file with their packages, and are built again when one of these changes")
    func built() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins)
        var printed = ""
        let result = plugins.builder.build([request]) { event in
            if case .printed(_, let text) = event { printed += text }
        }[0]
        #expect(result.error == nil, "\(result.compilerOutput)")
        #expect(result.isBuilt)
        #expect(printed == "")

        let note = try #require(ModuleContent(request.output).note)
        #expect(note.declaration.id == "weather")
        #expect(note.tag.interface == InterfaceVersion(major: 1, minor: 4))
        let report = try BinaryReport(of: request.output)
        #expect(report.hasEntry)
        #expect(report.libraries.runpath == nil && report.libraries.rpath == nil)
        #expect(report.needed.allSatisfy { $0.hasPrefix("libswift") || $0 == "libc.so.6" })
        #expect(report.definedNames().contains("$s7Formats6FormatVMn"))
        // The interface is the host's.
        #expect(!report.definedNames().contains("$s14EavesInterface6ModuleMp"))
        #expect(report.undefinedNames().contains { $0.hasPrefix("$s14EavesInterface") })

        #expect(plugins.builder.freshness(of: request) == .fresh)
        #expect(plugins.isUpToDate(request))
        try plugins.scratch.write(
            "public let unit = \"°F\"\n", to: "Units/Sources/Units/Units.swift")
        #expect(plugins.builder.freshness(of: request) == .stale)
        #expect(plugins.builder.build([request])[0].isBuilt)
        #expect(ModuleContent(request.output).tag?.inputs != note.tag.inputs)

        // A module that depends on something else shares nothing with the one of before.
        let folders = "Plugins/.eaves-records/packages"
        let before = try plugins.scratch.names(in: folders)
        let manifest = try plugins.scratch.read("Plugins/Weather/Package.swift")
        try plugins.scratch.write(manifest + "\n// again\n", to: "Plugins/Weather/Package.swift")
        #expect(plugins.builder.build([request])[0].isBuilt)
        #expect(try plugins.scratch.names(in: folders) == before)
        try plugins.run("mkdir Others && cp -r Formats Others/Formats")
        let moved = manifest.replacing("../../Formats", with: "../../Others/Formats")
        try plugins.scratch.write(moved, to: "Plugins/Weather/Package.swift")
        try plugins.scratch.write(
            Self.manifest("Formats", dependsOn: "Units", at: "../../Units"),
            to: "Others/Formats/Package.swift")
        let other = plugins.builder.build([request])[0]
        #expect(other.isBuilt, "\(other.compilerOutput)")
        // The folder that no module uses any more stays for a while.
        #expect(try plugins.scratch.names(in: folders).count == 2)
        let later = WallClock.now + 7_200_000_000_000
        request.records.removeUnusedPackages(at: later)
        let after = try plugins.scratch.names(in: folders)
        #expect(after.count == 1 && after != before)
    }

    @Test("are compiled against the interfaces that module.json names")
    func interfaces() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins)
        try plugins.scratch.write(
            """
            { "id": "weather", "version": "1.0.0", "layer": "feature", "interfaces": ["api"],
              "provides": [{ "service": "Forecast" }] }
            """, to: "Plugins/Weather/module.json")
        try plugins.scratch.write(
            """
            import WeatherAPI
            public struct Live: Forecast {}

            """, to: "Plugins/Weather/Sources/Weather/Live.swift")
        try plugins.scratch.write(
            #"{ "id": "api", "version": "1.2.0", "layer": "interface", "module": "WeatherAPI" }"#,
            to: "Plugins/api/module.json")
        try plugins.scratch.write("public protocol Forecast {}\n", to: "Plugins/api/Forecast.swift")
        let results = plugins.builder.build([request])
        #expect(results.allSatisfy { $0.error == nil }, "\(results.map(\.compilerOutput))")
        let note = try #require(ModuleContent(request.output).note)
        #expect(note.declaration.interfaces.map(\.id) == ["api"])
        #expect(note.declaration.provides.map(\.service) == ["WeatherAPI.Forecast"])
        let report = try BinaryReport(of: request.output)
        #expect(report.undefinedNames().contains("$s10WeatherAPI8ForecastMp"))

        // Another interface: the module's own target is compiled again, and no other.
        let shared = "Plugins/.eaves-records/packages"
        let build = try "\(shared)/\(plugins.scratch.names(in: shared)[0])/debug/"
        let own = plugins.scratch.file(build + "Weather.build/Live.swift.o")
        let others = ["Units.build/Units.swift.o", "Formats.build/Formats.swift.o"].map {
            plugins.scratch.file(build + $0)
        }
        func identities(_ paths: [String]) throws -> [FileIdentity] {
            try paths.map { FileIdentity(try FileStatus(path: $0)) }
        }
        let (ownBefore, before) = (try identities([own]), try identities(others))
        let interface = "Plugins/api/Forecast.swift"
        try plugins.scratch.write(
            """
            public protocol Forecast { func wind() -> Int }
            extension Forecast { public func wind() -> Int { 0 } }

            """, to: interface)
        let again = plugins.builder.build([request])
        #expect(again.allSatisfy { $0.error == nil }, "\(again.map(\.compilerOutput))")
        #expect(try identities(others) == before)
        #expect(try identities([own]) != ownBefore)
        #expect(
            try BinaryReport(of: request.output).undefinedNames().contains {
                $0.hasPrefix("$s10WeatherAPI8ForecastP")
            })
        // The one of before is another one, too, although its file is older than what was compiled.
        try plugins.scratch.write("public protocol Forecast {}\n", to: interface)
        let back = plugins.builder.build([request])
        #expect(back.allSatisfy { $0.error == nil }, "\(back.map(\.compilerOutput))")
        #expect(try identities(others) == before)
        #expect(
            try !BinaryReport(of: request.output).undefinedNames().contains {
                $0.hasPrefix("$s10WeatherAPI8ForecastP4wind")
            })
    }

    @Test(
        "share what they depend on with others, one after the other, and their own code with none")
    func shared() throws {
        let plugins = try PluginFixture()
        let first = try add(plugins)
        let scratch = plugins.scratch
        try scratch.write(PluginFixture.declaration("rain"), to: "Plugins/Rain/module.json")
        try scratch.write(
            Self.manifest(
                "Rain", dependsOn: "Formats", at: "../../Formats", library: ", type: .dynamic"),
            to: "Plugins/Rain/Package.swift")
        try scratch.write(
            """
            import EavesInterface
            import Formats
            enum RainModule: Module { static var name: String { "rain" + text(of: 7) } }

            """, to: "Plugins/Rain/Sources/Rain/RainModule.swift")
        let second = BuildRequest(
            id: "rain", folder: scratch.file("Plugins/Rain"),
            output: scratch.file("Plugins/rain.so"), base: scratch.path)
        let both = plugins.builder.build([first, second])
        #expect(both.allSatisfy { $0.error == nil }, "\(both.map(\.compilerOutput))")
        let folders = "Plugins/.eaves-records/packages"
        let names = try scratch.names(in: folders)
        #expect(names.count == 1)
        #expect(!scratch.has("Plugins/Weather/.build/eaves"))
        for (request, type) in [(first, "Weather"), (second, "Rain")] {
            let symbols = try BinaryReport(of: request.output).definedNames()
            #expect(symbols.contains { $0.hasPrefix("$s\(type.count)\(type)") }, "\(type)")
            #expect(symbols.contains("$s7Formats6FormatVMn"))
        }

        // Each is built again as if it were alone.
        let units = scratch.file("\(folders)/\(names[0])/debug/Units.build/Units.swift.o")
        let before = FileIdentity(try FileStatus(path: units))
        for (request, name) in [(first, "Weather"), (second, "Rain"), (first, "Weather")] {
            let file = "Plugins/\(name)/Sources/\(name)/\(name)Module.swift"
            try scratch.write(scratch.read(file) + "// more\n", to: file)
            #expect(plugins.builder.build([request])[0].isBuilt)
            let symbols = try BinaryReport(of: request.output).definedNames()
            #expect(symbols.contains { $0.hasPrefix("$s\(name.count)\(name)") })
            #expect(ModuleContent(request.output).note?.declaration.id == request.id)
        }
        #expect(FileIdentity(try FileStatus(path: units)) == before)

        // Another process builds in the folder.
        let held = try OpenFile(reading: scratch.file("\(folders)/\(names[0])"))
        let isHeld = held.lockAlone()
        #expect(isHeld)
        var forced = second
        forced.isForced = true
        #expect(plugins.builder.build([forced])[0].isBuilt)
        #expect(scratch.has("Plugins/Rain/.build/eaves"))
        withExtendedLifetime(held) {}
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
            "// swift-tools-version: 6.0\nnonsense\n", to: "Plugins/Weather/Package.swift")
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
        try plugins.scratch.write("old", to: "Plugins/weather.so")
        let source = "Plugins/Weather/Sources/Weather/WeatherModule.swift"
        try plugins.scratch.write("import Formats\n", to: source)
        let none = try #require(plugins.builder.build([request])[0].error)
        guard case .entry(.noModuleType) = none.cause else {
            Issue.record("\(none)")
            return
        }
        try plugins.scratch.write("import Formats\nenum WeatherModule {}\n", to: source)
        let other = try #require(plugins.builder.build([request])[0].error)
        #expect(
            other.diagnostics[0].message
                == "weather: 'WeatherModule' does not conform to Module "
                + "(Plugins/Weather/Sources/Weather/WeatherModule.swift:2)")
        try plugins.scratch.write("import Nowhere\nenum WeatherModule {}\n", to: source)
        let result = plugins.builder.build([request])[0]
        #expect(result.error?.cause == .dependency(.noSuchModule(name: "Nowhere", .unknown)))
        #expect(result.compilerOutput.contains("WeatherModule.swift:1:8: error: no such module"))
        #expect(try plugins.scratch.read("Plugins/weather.so") == "old")
    }

    @Test("that link the interface itself are refused")
    func carriesInterface() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins)
        let scratch = plugins.scratch
        try scratch.write(Self.manifest("EavesInterface"), to: "Units/Package.swift")
        try scratch.write(
            "public protocol Module { static var name: String { get } }\n",
            to: "Units/Sources/EavesInterface/I.swift")
        try scratch.write(
            Self.manifest("Formats", dependsOn: "EavesInterface", at: "../Units")
                .replacing("package: \"EavesInterface\"", with: "package: \"Units\""),
            to: "Formats/Package.swift")
        try scratch.write(
            "import EavesInterface\npublic func text(of degrees: Int) -> String { \"\" }\n",
            to: "Formats/Sources/Formats/Formats.swift")
        try scratch.write(
            """
            @c(eaves_register)
            public func eavesRegister(_ host: UnsafeRawPointer) -> Int32 { 0 }

            """, to: "Plugins/Weather/Sources/Weather/Entry.swift")
        try scratch.write(
            "import EavesInterface\nenum WeatherModule: Module { static var name: String { \"\" } }\n",
            to: "Plugins/Weather/Sources/Weather/WeatherModule.swift"
        )
        let result = plugins.builder.build([request])[0]
        #expect(
            result.error?.cause == .dependency(.carriesInterface(folder: "Plugins/Weather")),
            "\(result.compilerOutput)")
    }
}
