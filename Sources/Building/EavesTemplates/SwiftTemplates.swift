// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
import EavesDeclaration

extension ModuleTemplate {
    func swiftFiles(_ modules: [String], _ sketches: [ConformanceSketch]) -> [NewFile] {
        (sketches.isEmpty ? featureFiles(modules) : providerFiles(modules, sketches))
            + [testFile(importing: modules, sketches)]
    }

    /// A Swift package with one dynamic library of these sources, and their test.
    func packaged(_ files: [NewFile]) -> [NewFile] {
        [NewFile("Package.swift", packageManifest)]
            + files.map { file in
                file.path.hasPrefix("Tests/")
                    ? file : NewFile("Sources/\(folder)/\(file.path)", file.text)
            }
    }

    /// The files of an interface module: protocols, and a test that stays true when they get other members.
    func interfaceFiles(_ modules: [String]) -> [NewFile] {
        let name = services[0]
        let text = names.text("String", of: "Swift")
        let sources = services.map { name in
            NewFile(
                "\(name).swift",
                """
                \(imports(modules, besides: []))/// Modules that provide this service conform to it. Others require it, and do not know who provides it.
                ///
                /// A requirement that is added later needs a default: modules that were built before do not have it.
                public protocol \(name): \(names.text("Sendable", of: "Swift")) {
                    /// Greets a person.
                    func greeting(for name: \(text)) async throws -> \(text)
                }

                """)
        }
        let test = """
            import EavesInterface
            import EavesTesting
            import Testing

            @testable import \(folder)

            @Suite("\(id)", .container())
            struct \(folder)Tests {
                @Test("leaves it to other modules to provide the protocol")
                func isUnprovided() throws {
                    #expect(try TestContainer.current.resolveIfProvided((any \(name)).self) == nil)
                }
            }

            """
        return sources + [NewFile("Tests/\(folder)Tests.swift", test)]
    }

    // MARK: Code

    private func featureFiles(_ modules: [String]) -> [NewFile] {
        let type = folder + "Feature"
        let feature = """
            \(imports(modules))struct \(type): \(host("Feature")) {
                func launch(_ launch: \(host("Launch"))) async throws -> \(host("ExitCode")) {
                    let name = try launch.parse(.optionalArgument("NAME", help: "whom to greet"))
                    try launch.console.print("Hello, \\(name ?? "world")!")
                    return .success
                }
            }

            """
        let module = """
            import EavesInterface

            enum \(folder)Module: Module {
                static func register(in registrar: any Registrar) {
                    registrar.registerFeature("\(id)") { _ in \(type)() }
                }
            }

            """
        return [
            NewFile("\(type).swift", feature),
            NewFile("\(folder)Module.swift", module),
        ]
    }

    private func providerFiles(_ modules: [String], _ sketches: [ConformanceSketch]) -> [NewFile] {
        let providers = sketches.map { sketch in
            let type = folder + sketch.service
            let members = sketch.members.map { $0.indented + "\n" }.joined(separator: "\n")
            return NewFile(
                "\(type).swift",
                """
                \(imports(modules + sketch.modules, single: sketch.imports))/// A sketch: each member returns something empty, or fails.
                \(sketch.keyword) \(type): \(sketch.name) {
                \(members)}
                \(sketch.helper)
                """)
        }
        let registrations = sketches.map { sketch in
            "registrar.register((any \(sketch.name)).self, scope: .shared) { _ in \(folder)\(sketch.service)() }"
        }
        let module = """
            \(imports(modules, single: sketches.protocolImports))enum \(folder)Module: \(host("Module")) {
                static func register(in registrar: any \(host("Registrar"))) {
                    \(registrations.joined(separator: "\n        "))
                }
            }

            """
        return providers + [NewFile("\(folder)Module.swift", module)]
    }

    private var packageManifest: String {
        let settings = kind == .interface ? ", swiftSettings: [.unsafeFlags(evolves)]" : ""
        return """
            // swift-tools-version: 6.2
            import PackageDescription

            // 'eaves build' gives the compiler EavesInterface, and the interfaces that module.json names.
            \(kind == .interface ? Self.evolution : "")let package = Package(
                name: "\(folder)",
                products: [.library(name: "\(folder)", type: .dynamic, targets: ["\(folder)"])],
                targets: [.target(name: "\(folder)"\(settings))],
                swiftLanguageModes: [.v6]
            )

            """
    }

    /// Tests compile the package without 'eaves build'.
    private static let evolution = """
        // Modules are compiled against it as they are against the file that 'eaves build' makes.
        let evolves = ["-enable-library-evolution", "-no-verify-emitted-module-interface"]

        """

    // MARK: Tests

    /// A test of a module: of its sources, or of the file that `eaves build` makes of them.
    func testFile(
        importing modules: [String] = [], _ sketches: [ConformanceSketch] = []
    ) -> NewFile {
        let isLinked = language == .swift
        let word = { names.text($0, of: "Testing") }
        let container =
            isLinked
            ? ".container { try $0.load(\(folder)Module.self, id: \"\(id)\") }"
            : ".container(manifest: \"manifest.json\")"
        let own = isLinked ? "@testable import \(folder)\n\n" : ""
        let imports = self.imports(
            sketches.isEmpty ? [] : modules,
            besides: ["EavesInterface", "EavesTesting", "Testing"],
            single: sketches.protocolImports)
        let head = """
            \(imports)\(own)@\(word("Suite"))("\(id)", \(container))
            struct \(folder)Tests {

            """
        var tests = sketches.map { sketch in
            """
                @\(word("Test"))("provides \(sketch.service)")
                func provides\(sketches.count == 1 ? "" : sketch.service)() throws {
                    _ = try TestContainer.current.resolve((any \(sketch.name)).self)
                }

            """
        }
        if sketches.isEmpty {
            tests = [
                """
                    @Test("greets")
                    func greets() async throws {
                        let launch = try await TestContainer.current.launch("\(id)", ["Anna"])
                        \(greeting)
                    }

                """
            ]
        }
        let text = head + tests.joined(separator: "\n") + "}\n"
        return NewFile("Tests/\(folder)Tests.swift", text)
    }

    /// Other languages write to descriptors, which a test does not collect.
    private var greeting: String {
        switch language {
        case .swift, .package: "#expect(launch.output == \"Hello, Anna!\\n\")"
        case .c, .cpp, .rust: "#expect(launch.exitCode == .success)"
        }
    }

    /// The words for a type of the host's interface.
    private func host(_ name: String) -> String {
        names.text(name, of: InterfaceStamp.hostModule)
    }

    /// A line for each module that a file imports, and an empty one.
    private func imports(
        _ modules: [String], besides own: [String] = ["EavesInterface"], single: [String] = []
    ) -> String {
        let all = Set(modules + own).sorted().map { "import \($0)" } + single
        let lines = all.map { $0 + "\n" }.joined()
        return lines.isEmpty ? "" : lines + "\n"
    }
}

extension [ConformanceSketch] {
    fileprivate var protocolImports: [String] { Set(flatMap(\.protocolImport)).sorted() }
}

extension String {
    /// Each line that is not empty, four columns further to the right.
    fileprivate var indented: String {
        split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "    " + $0 }.joined(separator: "\n")
    }
}
