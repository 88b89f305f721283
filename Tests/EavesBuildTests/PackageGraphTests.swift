// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
import EavesChild
@testable import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesProcess
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesBuild

/// Modules that are Swift packages, with what real ones have in their graphs: targets in C at any depth, and packages
/// that are fetched. All are the tests' own, so that no network is needed.
@Suite("Graphs of Swift packages", .onOwnThreads, .serialized, .patiently)
struct PackageGraphTests {
    /// Git, with which SwiftPM fetches packages.
    private static let hasGit =
        (try? ChildPool.run(ChildCommand("git", ["--version"])))?.ending.isSuccess == true

    // MARK: - Fixtures

    /// Writes the module `Weather`, which depends on the package `Formats`.
    ///
    /// - Parameters:
    ///   - dependency: The arguments of `.package(…)` that find `Formats`.
    ///   - target: The name of the module's target.
    ///   - settings: Further arguments of the module's target.
    private func addModule(
        _ plugins: PluginFixture, on dependency: String, target: String = "Weather",
        settings: String = ""
    ) throws -> BuildRequest {
        let scratch = plugins.scratch
        try scratch.write(PluginFixture.declaration("weather"), to: "Plugins/Weather/module.json")
        try scratch.write(
            """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(
                name: "Weather",
                products: [.library(name: "Weather", type: .dynamic, targets: ["\(target)"])],
                dependencies: [.package(\(dependency))],
                targets: [
                    .target(
                        name: "\(target)",
                        dependencies: [.product(name: "Formats", package: "Formats")]\(settings))
                ])

            """, to: "Plugins/Weather/Package.swift")
        try scratch.write(
            """
            import EavesInterface
            import Formats
            enum WeatherModule: Module { static var name: String { text(of: 21) } }

            """, to: "Plugins/Weather/Sources/\(target)/WeatherModule.swift")
        return BuildRequest(
            id: "weather", folder: scratch.file("Plugins/Weather"),
            output: scratch.file("Plugins/weather.so"), base: scratch.path)
    }

    /// Writes the package `Formats`, which has no dependencies.
    private func addFormats(_ plugins: PluginFixture) throws {
        try plugins.scratch.write(
            """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(
                name: "Formats", products: [.library(name: "Formats", targets: ["Formats"])],
                targets: [.target(name: "Formats")])

            """, to: "Formats/Package.swift")
        try plugins.scratch.write(
            "public func text(of degrees: Int) -> String { \"\\(degrees)\" }\n",
            to: "Formats/Sources/Formats/Formats.swift")
    }

    /// Makes a repository of the package `Formats`, with a version. Returns its address.
    private func tagFormats(_ plugins: PluginFixture) throws -> String {
        try plugins.run(
            """
            export GIT_CONFIG_GLOBAL=/dev/null
            cd Formats; git init -q; git add -A
            git -c user.name=a -c user.email=a@b commit -qm one; git tag 1.0.0
            """)
        return "url: \"file://\(plugins.scratch.file("Formats"))\", from: \"1.0.0\""
    }

    /// A fixture whose SwiftPM keeps what it fetches in a folder of the test's own.
    private func fetchingFixture() throws -> (PluginFixture, home: TemporaryFolder) {
        let home = try TemporaryFolder()
        var environment = Environment.current
        environment["HOME"] = home.path
        environment["XDG_CACHE_HOME"] = home.path
        environment["XDG_CONFIG_HOME"] = home.path
        return (try PluginFixture(environment: environment), home)
    }

    /// Builds a module, and returns its result with all that was reported.
    private func build(
        _ request: BuildRequest, _ plugins: PluginFixture
    ) -> (result: BuildResult, printed: String, restarts: Int) {
        var printed = ""
        var restarts = 0
        let result = plugins.builder.build([request]) { event in
            switch event {
            case .printed(_, let text): printed += text
            case .restarting: restarts += 1
            case .compiling, .finished, .running, .waiting: break
            }
        }[0]
        return (result, printed, restarts)
    }

    // MARK: - C

    /// The module imports a package, which imports another one, whose target imports C twice: with a map of its own, and
    /// with the one that SwiftPM makes. Neither the module nor the entry point imports C.
    @Test(
        "may have targets in C anywhere, with which their Swift targets are made",
        arguments: BuildConfiguration.allCases)
    func targetsInC(configuration: BuildConfiguration) throws {
        let plugins = try PluginFixture()
        let scratch = plugins.scratch
        var request = try addModule(plugins, on: "path: \"../../Formats\"")
        request.configuration = configuration
        try scratch.write(
            """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(
                name: "Formats", products: [.library(name: "Formats", targets: ["Formats"])],
                dependencies: [.package(path: "../Units")],
                targets: [
                    .target(
                        name: "Formats", dependencies: [.product(name: "Units", package: "Units")])
                ])

            """, to: "Formats/Package.swift")
        try scratch.write(
            """
            import Units
            public func text(of degrees: Int) -> String { Degrees(degrees).text }

            """, to: "Formats/Sources/Formats/Formats.swift")
        try scratch.write(
            """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(
                name: "Units", products: [.library(name: "Units", targets: ["Units"])],
                targets: [
                    .target(name: "_UnitsShims"), .target(name: "CScale"),
                    .target(name: "Units", dependencies: ["_UnitsShims", "CScale"]),
                ])

            """, to: "Units/Package.swift")
        let sources = "Units/Sources"
        try scratch.write(
            "static inline int units_sign(void) { return 176; }\n",
            to: "\(sources)/_UnitsShims/include/_UnitsShims.h")
        try scratch.write("#include \"_UnitsShims.h\"\n", to: "\(sources)/_UnitsShims/shims.c")
        try scratch.write("int scale(int degrees);\n", to: "\(sources)/CScale/include/c_scale.h")
        try scratch.write(
            "module CScale { header \"c_scale.h\" export * }\n",
            to: "\(sources)/CScale/include/module.modulemap")
        try scratch.write(
            "#include \"c_scale.h\"\nint scale(int degrees) { return degrees; }\n",
            to: "\(sources)/CScale/scale.c")
        try scratch.write(
            """
            import CScale
            import _UnitsShims
            public struct Degrees {
                let number: Int32
                public init(_ number: Int) { self.number = Int32(number) }
                @_alwaysEmitIntoClient public var sign: Int32 { units_sign() }
                public var text: String { "\\(scale(number))\\(sign)" }
            }

            """, to: "\(sources)/Units/Units.swift")
        let (result, printed, _) = build(request, plugins)
        #expect(result.error == nil, "\(result.compilerOutput)")
        #expect(printed == "")
        let report = try BinaryReport(of: request.output)
        #expect(report.hasEntry)
        #expect(plugins.builder.freshness(of: request) == .fresh)

        // The author's file is named when the module's type is wrong, here as well.
        try scratch.write(
            "import Formats\nenum WeatherModule { static var name: String { text(of: 1) } }\n",
            to: "Plugins/Weather/Sources/Weather/WeatherModule.swift")
        let error = try #require(build(request, plugins).result.error)
        #expect(
            error.diagnostics[0].message
                == "weather: 'WeatherModule' does not conform to Module "
                + "(Plugins/Weather/Sources/Weather/WeatherModule.swift:2)")
    }

    @Test("may be compiled for C++, and have a name that is no name in Swift")
    func cPlusPlus() throws {
        let plugins = try PluginFixture()
        let request = try addModule(
            plugins, on: "path: \"../../Formats\"", target: "weather-report",
            settings: ", swiftSettings: [.interoperabilityMode(.Cxx)]")
        try addFormats(plugins)
        let (result, printed, _) = build(request, plugins)
        #expect(result.error == nil, "\(result.compilerOutput)")
        #expect(printed == "")
        #expect(try BinaryReport(of: request.output).hasEntry)
    }

    // MARK: - Packages that are fetched

    @Test("are compiled once when packages are fetched", .enabled(if: hasGit, "needs git"))
    func fetched() throws {
        let (plugins, home) = try fetchingFixture()
        try addFormats(plugins)
        let request = try addModule(plugins, on: try tagFormats(plugins))
        let (result, printed, restarts) = build(request, plugins)
        #expect(result.error == nil, "\(result.compilerOutput)")
        #expect(printed.contains("Fetching "))
        #expect(restarts == 0)
        #expect(try plugins.scratch.names(in: "Plugins/Weather").contains("Package.resolved"))
        #expect(plugins.builder.freshness(of: request) == .fresh)
        let bytes = try Files.read(request.output)

        // Another version is another module.
        try plugins.run(
            """
            export GIT_CONFIG_GLOBAL=/dev/null
            cd Formats; echo '// newer' >> Sources/Formats/Formats.swift
            git -c user.name=a -c user.email=a@b commit -qam two; git tag 1.1.0
            """)
        _ = try addModule(
            plugins, on: "url: \"file://\(plugins.scratch.file("Formats"))\", from: \"1.1.0\"")
        #expect(plugins.builder.freshness(of: request) == .stale)
        let second = build(request, plugins)
        #expect(second.result.error == nil, "\(second.result.compilerOutput)")
        #expect(second.restarts == 0)
        #expect(
            try plugins.scratch.read("Plugins/Weather/Package.resolved").contains("1.1.0"))
        #expect(try Files.read(request.output) != bytes)
        withExtendedLifetime(home) {}
    }

    @Test("that cannot be fetched are an error of their own", .enabled(if: hasGit, "needs git"))
    func notFetched() throws {
        let (plugins, home) = try fetchingFixture()
        let address = "file://\(plugins.scratch.file("Nowhere/Formats"))"
        let request = try addModule(plugins, on: "url: \"\(address)\", from: \"1.0.0\"")
        let (result, printed, _) = build(request, plugins)
        let error = try #require(result.error)
        let message = error.diagnostics[0].message
        #expect(
            message.hasPrefix(
                "weather: SwiftPM could not fetch the packages that Plugins/Weather/Package.swift names, "
                    + "directly or not: "), "\(message)")
        #expect(message.contains("Nowhere/Formats' does not exist"), "\(message)")
        #expect(error.diagnostics[0].code == .inputOutput)
        #expect(printed.contains("Nowhere/Formats' does not exist"), "\(printed)")
        withExtendedLifetime(home) {}
    }

    // MARK: - Messages

    @Test(
        "have each mistake reported once, whichever compilers see it",
        .enabled(if: hasGit, "needs git"))
    func mistake() throws {
        let (plugins, home) = try fetchingFixture()
        try addFormats(plugins)
        let request = try addModule(plugins, on: try tagFormats(plugins))
        let folder = "Plugins/Weather/Sources/Weather"
        try plugins.scratch.write("public func use(_ x: Missing) {}\n", to: "\(folder)/Use.swift")
        for number in 1...4 {
            try plugins.scratch.write(
                "func use\(number)() { use(\(number)) }\n", to: "\(folder)/Use\(number).swift")
        }
        let (result, printed, restarts) = build(request, plugins)
        #expect(result.error?.cause == .compilation)
        #expect(restarts == 0)
        let reports = printed.split(separator: "\n")
            .filter { $0.contains("Use.swift:1:22: error: cannot find type 'Missing'") }
        #expect(reports.count == 1, "\(printed)")
        withExtendedLifetime(home) {}
    }
}
