// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesBuild
@testable import EavesCode
@testable import EavesCompiler

/// Interface modules that are Swift packages, and modules that are compiled against them.
@Suite("A package that is an interface module", .onOwnThreads, .serialized, .patiently)
struct PackageInterfaceTests {
    /// A package with a target in C, the package `Shared` of the interface module around it, and a module that uses both.
    private func add(_ plugins: PluginFixture) throws -> (
        interface: BuildRequest, user: BuildRequest
    ) {
        let scratch = plugins.scratch
        try scratch.write(
            """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(
                name: "Formats", products: [.library(name: "Formats", targets: ["Formats"])],
                targets: [
                    .target(name: "COffset"), .target(name: "Units"),
                    .target(name: "CUnits", dependencies: ["COffset"]),
                    .target(name: "Formats", dependencies: ["CUnits", "Units"]),
                ])

            """, to: "Formats/Package.swift")
        try scratch.write(
            """
            #include "parts/celsius.h"
            static inline double kelvin(celsius_t celsius) { return celsius + offset(); }

            """, to: "Formats/Sources/CUnits/include/kelvin.h")
        try scratch.write(
            """
            #include <COffset.h>
            typedef double celsius_t;

            """, to: "Formats/Sources/CUnits/include/parts/celsius.h")
        try scratch.write("", to: "Formats/Sources/CUnits/units.c")
        try scratch.write(
            "double offset(void);\n", to: "Formats/Sources/COffset/include/COffset.h")
        try scratch.write(
            "double offset(void) { return 273.15; }\n", to: "Formats/Sources/COffset/offset.c")
        try scratch.write(
            """
            @usableFromInline package func rounded(_ number: Double) -> Int { Int(number.rounded()) }

            """, to: "Formats/Sources/Units/Units.swift")
        try scratch.write(
            """
            public import CUnits
            public import Units
            @frozen public struct Degrees: Sendable {
                public var celsius: Double
                @inlinable public init(celsius: Double) { self.celsius = celsius }
                @inlinable public var kelvin: Int { rounded(CUnits.kelvin(celsius)) }
            }
            public protocol Scale { func text(of degrees: Degrees) -> String }

            """, to: "Formats/Sources/Formats/Formats.swift")
        try scratch.write(
            #"{ "id": "formats", "version": "1.2.0", "layer": "interface" }"#,
            to: "Plugins/shared/module.json")
        try scratch.write(
            Self.manifest("Shared", dependsOn: "Formats"), to: "Plugins/shared/Package.swift")
        try scratch.write(
            """
            @_exported public import Formats
            public protocol Thermometer: Sendable {
                func degrees() -> Double
            }

            """, to: "Plugins/shared/Sources/Shared/Shared.swift")
        try scratch.write(
            """
            { "id": "attic", "version": "1.0.0", "layer": "core", "interfaces": ["formats"],
              "provides": [{ "service": "Thermometer" }] }
            """, to: "Plugins/Attic/module.json")
        try scratch.write(
            """
            import EavesInterface
            import Formats
            import Shared
            struct Mine: Thermometer, Scale {
                func degrees() -> Double { Double(Degrees(celsius: 21).kelvin) }
                func text(of degrees: Degrees) -> String { "\\(degrees.celsius)" }
            }
            extension Degrees { struct Note {} }
            public func used(_ degrees: Degrees) -> (Int, any Scale) { (degrees.kelvin, Mine()) }
            enum AtticModule: Module { static var name: String { "attic" } }

            """, to: "Plugins/Attic/Attic.swift")
        return (request("formats", "shared", plugins), request("attic", "Attic", plugins))
    }

    private func request(_ id: String, _ folder: String, _ plugins: PluginFixture) -> BuildRequest {
        BuildRequest(
            id: id, folder: plugins.scratch.file("Plugins/\(folder)"),
            output: plugins.scratch.file("Plugins/\(id).so"), base: plugins.scratch.path)
    }

    private static func manifest(_ name: String, dependsOn other: String) -> String {
        """
        // swift-tools-version: 6.0
        import PackageDescription
        let package = Package(
            name: "\(name)",
            products: [.library(name: "\(name)", type: .dynamic, targets: ["\(name)"])],
            dependencies: [.package(path: "../../\(other)")],
            targets: [
                .target(name: "\(name)", dependencies: [.product(name: "\(other)", package: "\(other)")])
            ])

        """
    }

    @Test(
        "brings the Swift modules that it shows, and the headers of those in C",
        arguments: BuildConfiguration.allCases)
    func brought(configuration: BuildConfiguration) throws {
        let plugins = try PluginFixture()
        var (interface, user) = try add(plugins)
        interface.configuration = configuration
        user.configuration = configuration
        let results = plugins.builder.build([interface, user])
        #expect(results.allSatisfy { $0.error == nil }, "\(results.map(\.compilerOutput))")
        #expect(results.flatMap(\.warnings).isEmpty, "\(results.flatMap(\.warnings))")

        let declaration = try #require(ModuleContent(interface.output).note).declaration
        #expect(
            declaration.interface
                == InterfaceContent(
                    module: "Shared", protocols: ["Thermometer"],
                    otherModules: ["Formats", "Units"]))
        let file = try InterfaceFile(
            "formats", at: interface.output, shownAs: interface.output, for: nil)
        #expect(
            file.text.companions.map(\.name) == [
                "COffset/COffset.h", "COffset/module.modulemap", "CUnits/kelvin.h",
                "CUnits/module.modulemap", "CUnits/parts/celsius.h",
                "Formats.swiftinterface", "Units.swiftinterface",
            ])
        // The report on calls to other processes is about the module's own protocols.
        #expect(WallReport(ofFile: interface.output)?.protocols.keys.sorted() == ["Thermometer"])

        let built = try #require(ModuleContent(user.output).note).declaration
        #expect(built.interfaces.map(\.built) == [declaration.interfaceStamp])
        #expect(built.provides.map(\.service) == ["Shared.Thermometer"])
        let (own, used) = (
            try BinaryReport(of: interface.output), try BinaryReport(of: user.output)
        )
        #expect(own.definedNames().contains("$s7Formats7DegreesVMn"))
        #expect(used.undefinedNames().contains("$s7Formats5ScaleMp"))
        #expect(!used.definedNames().contains("$s7Formats7DegreesVMn"))
        // The interface module has the code in C that inlined functions call.
        #expect(used.undefinedNames().contains("offset") == (configuration == .release))
        #expect(own.defines(function: "offset"))
        // The protocols of all its Swift modules are compared, also those that are no services.
        let protocols = try InterfaceProtocols(
            of: interface.output, try #require(declaration.interfaceStamp))
        #expect(protocols["$s7Formats5ScaleMp"] != nil)

        #expect(plugins.builder.freshness(of: interface) == .fresh)
        #expect(plugins.builder.freshness(of: user) == .fresh)
        try plugins.scratch.write(
            "double offset(void) { return 273.0; }\n", to: "Formats/Sources/COffset/offset.c")
        #expect(plugins.builder.freshness(of: interface) == .stale)
        let again = plugins.builder.build([user])
        #expect(again.allSatisfy { $0.error == nil }, "\(again.map(\.compilerOutput))")
        guard case .upToDate = again[0].outcome else {
            Issue.record("only a body of the interface module has changed")
            return
        }
    }

    @Test("is compiled against where only its file is")
    func fileAlone() throws {
        let plugins = try PluginFixture()
        let (interface, user) = try add(plugins)
        #expect(plugins.builder.build([interface])[0].error == nil)
        let bytes = try Files.read(interface.output)

        let elsewhere = try PluginFixture()
        _ = try add(elsewhere)
        for name in ["Formats", "Plugins/shared"] {
            try Files.removeTree(elsewhere.scratch.file(name))
        }
        try elsewhere.scratch.write(bytes, to: "Plugins/formats.so")
        let result = elsewhere.builder.build([request(user.id, "Attic", elsewhere)])[0]
        #expect(result.error == nil, "\(result.compilerOutput)")
    }

    @Test("is not carried by a package that names it")
    func carried() throws {
        let plugins = try PluginFixture()
        let (interface, _) = try add(plugins)
        let scratch = plugins.scratch
        let user = request("attic", "Attic", plugins)
        let source = try scratch.read("Plugins/Attic/Attic.swift")
        try Files.remove(scratch.file("Plugins/Attic/Attic.swift"))
        try scratch.write(source, to: "Plugins/Attic/Sources/Attic/Attic.swift")
        try scratch.write(
            Self.manifest("Attic", dependsOn: "Formats"), to: "Plugins/Attic/Package.swift")
        let result = plugins.builder.build([user])[0]
        let error = try #require(result.error, "\(result.compilerOutput)")
        #expect(
            error.cause
                == .dependency(
                    .carriesModule("Formats", interface: "formats", folder: "Plugins/Attic")),
            "\(error) \(result.compilerOutput)")
        #expect(
            error.diagnostics[0].fix?.hasPrefix(
                "remove the dependency that has Formats from its Package.swift: 'import Formats' finds "
                    + "that of 'formats'") == true)
        #expect(BuildIdentity(path: interface.output) != nil)
        // Without the dependency, the package's sources find the interface's module.
        try scratch.write(
            """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(
                name: "Attic",
                products: [.library(name: "Attic", type: .dynamic, targets: ["Attic"])],
                targets: [.target(name: "Attic")])

            """, to: "Plugins/Attic/Package.swift")
        let mended = plugins.builder.build([user])[0]
        #expect(mended.error == nil, "\(mended.compilerOutput)")
    }

    @Test("says which module it lacks, and that a package does not compile for library evolution")
    func mistakes() throws {
        let plugins = try PluginFixture()
        let (interface, _) = try add(plugins)
        let scratch = plugins.scratch
        try scratch.write(
            #"{ "id": "formats", "version": "1.2.0", "layer": "interface", "module": "Formats" }"#,
            to: "Plugins/shared/module.json")
        let other = try #require(plugins.builder.build([interface])[0].error)
        #expect(
            other.diagnostics[0].message
                == "formats: module.json names the Swift module 'Formats', and the library 'Shared' has "
                + "'Shared'")
        try scratch.write(
            #"{ "id": "formats", "version": "1.2.0", "layer": "interface" }"#,
            to: "Plugins/shared/module.json")
        // Outside of the module, only a frozen type can be made so.
        try scratch.write(
            """
            public struct Point {
                @usableFromInline let x: Int
                @inlinable public init(x: Int) { self.x = x }
            }

            """, to: "Formats/Sources/Formats/Point.swift")
        let refused = try #require(plugins.builder.build([interface])[0].error)
        #expect(
            refused.diagnostics[0].message
                == "formats: a package that it brings does not compile for library evolution, which an "
                + "interface module needs (Formats/Sources/Formats/Point.swift)")
        // A mistake in the module's own sources is told as one.
        try Files.remove(scratch.file("Formats/Sources/Formats/Point.swift"))
        try scratch.write("nonsense\n", to: "Plugins/shared/Sources/Shared/Shared.swift")
        #expect(plugins.builder.build([interface])[0].error?.cause == .compilation)
    }
}

@Suite("The files that a package brings")
struct CompanionTests {
    private let stamp = InterfaceStamp(
        module: "Shared", version: InterfaceVersion(major: 1, minor: 0), otherModules: ["Formats"])

    private func text(_ section: String) -> InterfaceText? {
        InterfaceText([], companionSection: Array(section.utf8), of: stamp)
    }

    @Test("are read from a file again as they were written")
    func read() {
        let text = InterfaceText(
            Array("import Swift\n".utf8),
            companions: [
                "Formats.swiftinterface": Array("// \"quoted\"\nimport Swift\n".utf8),
                "CUnits/module.modulemap": Array("module CUnits { header \"x.h\" }\n".utf8),
            ])
        #expect(
            InterfaceText(text.bytes, companionSection: text.companionSection, of: stamp) == text)
        #expect(text.otherModules == ["Formats"])
    }

    @Test("name a module as bodies do, unless a type has its name")
    func named() {
        let text = """
            // swift-module-flags: -module-name A -module-alias Module___A=A -module-alias Module___AB=AB -module-alias Module___C=C
            import Module___AB
            import Module___C
            public struct C { public var value: Module___AB.Value }
            @inlinable public func sum() -> Int { AB.value + C.shared + a.A.b }

            """
        let expected = """
            // swift-module-flags: -module-name A -module-alias Module___A=A -module-alias Module___C=C
            import AB
            import Module___C
            public struct C { public var value: AB.Value }
            @inlinable public func sum() -> Int { AB.value + C.shared + a.A.b }

            """
        let shared = InterfaceText(
            Array("import Swift\n".utf8),
            companions: ["A.swiftinterface": Array(text.utf8), "C/a.h": Array(text.utf8)])
        let named = shared.namingModulesAsBodiesDo
        #expect(named.bytes == shared.bytes)
        #expect(
            named.companions.map { String(decoding: $0.bytes, as: UTF8.self) } == [expected, text])
        #expect(named.namingModulesAsBodiesDo == named)
    }

    @Test("are refused if a name leads elsewhere, or the note says something else")
    func refused() {
        #expect(text(#"{"Formats.swiftinterface":""}"#) != nil)
        #expect(text(#"{"Formats.swiftinterface":"","C/a.h":"","C/b/c.h":""}"#) != nil)
        let damaged = [
            "", "[]", #"{"Formats.swiftinterface":1}"#, "{}",
            #"{"Formats.swiftinterface":"","Other.swiftinterface":""}"#,
        ]
        for section in damaged { #expect(text(section) == nil, "\(section)") }
        let names = [
            "a.h", "/etc/passwd", "../a.h", "C/../a.h", "C//a.h", "C/.a.h", ".C/a.h", "C/a b.h",
            "C/a\\u0000.h", "C/", "module.modulemap", "../X.swiftinterface",
            "C/Formats.swiftinterface",
        ]
        for name in names {
            #expect(text("{\"Formats.swiftinterface\":\"\",\"\(name)\":\"\"}") == nil, "\(name)")
        }
        #expect(InterfaceText([], companionSection: nil, of: stamp) == nil)
    }
}
