// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// A package brings tools that build it, and asks for symbols of the libraries of this machine.
@Suite("a package as a module", .onOwnThreads, .patiently)
struct PackageToolsTests {
    /// The package that has all of it: a macro, whose program needs no package, a plugin with a tool, a target in C, and a
    /// resource.
    private static let letters = [
        "Package.swift": """
        // swift-tools-version: 6.0
        import CompilerPluginSupport
        import PackageDescription
        let package = Package(
            name: "Letters", products: [.library(name: "Letters", targets: ["Letters"])],
            targets: [
                .macro(name: "LettersMacros"), .executableTarget(name: "maker"),
                .target(name: "CLetters"),
                .plugin(name: "Making", capability: .buildTool(), dependencies: ["maker"]),
                .target(
                    name: "Letters", dependencies: ["LettersMacros", "CLetters"],
                    resources: [.process("Texts")], plugins: ["Making"]),
            ])

        """,
        "Sources/LettersMacros/Plugin.swift": #"""
        import Foundation

        @main enum Plugin {
            static func main() {
                let (input, output) = (FileHandle.standardInput, FileHandle.standardOutput)
                while case let header = input.readData(ofLength: 8), header.count == 8 {
                    let size = header.reversed().reduce(0) { $0 << 8 | Int($1) }
                    let asks = String(decoding: input.readData(ofLength: size), as: UTF8.self)
                    let reply =
                        asks.contains("getCapability")
                        ? #"{"getCapabilityResult":{"capability":{"protocolVersion":7}}}"#
                        : #"{"expandMacroResult":{"expandedSource":"\"LOUD\"","diagnostics":[]}}"#
                    withUnsafeBytes(of: UInt64(reply.utf8.count)) { output.write(Data($0)) }
                    output.write(Data(reply.utf8))
                }
            }
        }

        """#,
        "Sources/maker/main.swift": """
        import Foundation
        try Data("let made = \\"made\\"".utf8).write(to: URL(fileURLWithPath: CommandLine.arguments[1]))

        """,
        "Plugins/Making/Making.swift": """
        import PackagePlugin

        @main struct Making: BuildToolPlugin {
            func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
                let file = context.pluginWorkDirectoryURL.appending(path: "Made.swift")
                return [
                    .buildCommand(
                        displayName: "make", executable: try context.tool(named: "maker").url,
                        arguments: [file.path()], outputFiles: [file])
                ]
            }
        }

        """,
        "Sources/CLetters/letters.c":
            "#include \"CLetters.h\"\nint letters_count(void) { return 3; }\n",
        "Sources/CLetters/include/CLetters.h": "int letters_count(void);\n",
        "Sources/Letters/Texts/door.txt": "Tür",
        "Sources/Letters/Letters.swift": #"""
        import CLetters
        import Foundation

        @freestanding(expression)
        macro shout(_ text: String) -> String = #externalMacro(module: "LettersMacros", type: "Shout")

        public func letters() throws -> String {
            let url = Bundle.module.url(forResource: "door", withExtension: "txt")
            let door = try url.map { try String(contentsOf: $0, encoding: .utf8) } ?? "no door"
            return "\(door) \(#shout("loud")) \(made) \(letters_count())"
        }

        """#,
    ]

    private static func manifest(_ name: String, on other: String, at path: String, _ kind: String)
        -> String
    {
        """
        // swift-tools-version: 6.0
        import PackageDescription
        let package = Package(
            name: "\(name)", products: [.library(name: "\(name)"\(kind), targets: ["\(name)"])],
            dependencies: [.package(path: "\(path)")],
            targets: [
                .target(name: "\(name)", dependencies: [.product(name: "\(other)", package: "\(other)")])
            ])

        """
    }

    @Test("may have macros, plugins, targets in C and resources two packages away")
    func tools() throws {
        let eaves = try Eaves.project()
        for (name, text) in Self.letters { try eaves.write(text, to: "Letters/\(name)") }
        try eaves.write(
            Self.manifest("Words", on: "Letters", at: "../Letters", ""), to: "Words/Package.swift")
        try eaves.write(
            "import Letters\npublic func words() throws -> String { try letters() }\n",
            to: "Words/Sources/Words/Words.swift")
        try eaves("new", "feature", "page", "--package").expectSuccess()
        try eaves.write(
            Self.manifest("Page", on: "Words", at: "../../Words", ", type: .dynamic"),
            to: "Plugins/Page/Package.swift")
        let source = "Plugins/Page/Sources/Page/PageFeature.swift"
        try eaves.write(
            "import Words\n"
                + eaves.text(source).replacing(
                    "\"Hello, \\(name ?? \"world\")!\"", with: "words() + (name ?? \"\")"),
            to: source)
        let launched = try eaves("launch", "page")
        #expect(launched.output == "Tür LOUD made 3\n", "\(launched)")
        #expect(!launched.errors.contains("warning"), "\(launched)")
    }

    @Test("is built in a folder with a % in its name, as a crate is")
    func percent() throws {
        let place = try Eaves.emptyFolder()
        let outcome = try Eaves.shell(
            """
            set -e
            eaves='\(Eaves.executable.path)'
            mkdir '50 %' && cd '50 %'
            "$eaves" init
            "$eaves" new feature page --package
            if command -v cargo > /dev/null; then "$eaves" new feature crated --rust; fi
            "$eaves" build
            "$eaves" launch page
            "$eaves" build --release page
            "$eaves" build
            """, in: place.folder)
        #expect(outcome.code == 0 && outcome.output.hasSuffix("Hello, world!\n"), "\(outcome)")
    }

    @Test("is told which symbols its libraries lack when it is built, with the library")
    func lackingSymbols() throws {
        let eaves = try Eaves.project()
        try eaves.write("int snap1_open(void) { return 1; }\n", to: "snap1.c")
        let library = eaves.path("libsnap1.so").path
        try CCompiler.first().run(["-shared", "-fPIC", "-o", library, eaves.path("snap1.c").path])
        let environment = [
            "LIBRARY_PATH": eaves.folder.path, "LD_LIBRARY_PATH": eaves.folder.path,
        ]
        try eaves("new", "feature", "snap", "--c").expectSuccess()
        let declaration = try eaves.text("Plugins/Snap/module.json")
        try eaves.write(
            declaration.replacing("\"id\"", with: "\"link\": [\"snap1\"], \"id\""),
            to: "Plugins/Snap/module.json")
        let more = "Plugins/Snap/more.c"
        try eaves.write(
            "int snap1_open(void);\nint more(void) { return snap1_open(); }\n", to: more)
        let right = try eaves("build", "snap", environment: environment)
        right.expectSuccess()
        #expect(!right.errors.contains("warning"), "\(right)")
        try eaves.write(
            eaves.text(more).replacing("snap1_open(", with: "snap1_snapshot(")
                + "int snap1_open(void);\nint even(void) { return snap1_open() + of_nobody(); }\n",
            to: more)
        try eaves.write("int of_nobody(void);\n" + eaves.text(more), to: more)
        let built = try eaves("build", "snap", environment: environment)
        built.expectSuccess()
        #expect(
            built.errors.contains(
                "needs 'of_nobody', 'snap1_snapshot', which neither this host nor a loaded library has"
            ), "\(built)")
        #expect(try eaves("launch", "snap", environment: environment).code == 76)
    }
}
