// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
import EavesCompiler
import EavesDeclaration
import EavesELF
import EavesProcess
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesBuild

@Suite("Release builds", .onOwnThreads, .patiently)
struct SameBytesTests {
    @Test("have the same bytes in any folder, and the lines of the sources")
    func anywhere() throws {
        let plugins = try PluginFixture()
        let scratch = plugins.scratch
        try plugins.add("Hello")
        let c = { (name: String) in
            "#include <assert.h>\nint \(name)(const void *host) { assert(host); return 0; }\n"
        }
        try scratch.write(c("help"), to: "Plugins/Hello/help.c")
        try scratch.write(c("eaves_register"), to: "Plugins/Plain/plain.c")
        for name in ["Plain", "Weather"] {
            try scratch.write(
                PluginFixture.declaration(name.lowercased()), to: "Plugins/\(name)/module.json")
        }
        let packages = [
            (
                "Plugins/Weather", ", type: .dynamic", ".package(path: \"../../Formats\")",
                "\"Formats\""
            ),
            ("Formats", "", "", ""),
        ]
        for (folder, library, package, product) in packages {
            let name = Path.name(of: folder)
            try scratch.write(
                """
                // swift-tools-version: 6.0
                import PackageDescription
                let package = Package(
                    name: "\(name)",
                    products: [.library(name: "\(name)"\(library), targets: ["\(name)"])],
                    dependencies: [\(package)],
                    targets: [
                        .target(name: "C\(name)"),
                        .target(name: "\(name)", dependencies: ["C\(name)", \(product)]),
                    ])

                """, to: "\(folder)/Package.swift")
            try scratch.write(c("of\(name)"), to: "\(folder)/Sources/C\(name)/c.c")
            try scratch.write(
                "int of\(name)(const void *host);\n", to: "\(folder)/Sources/C\(name)/include/c.h")
        }
        try scratch.write(
            """
            import CFormats
            public func text(of degrees: Int) -> String { "\\(degrees + Int(ofFormats(nil)))" }

            """, to: "Formats/Sources/Formats/Formats.swift")
        try scratch.write(
            """
            import CWeather
            import EavesInterface
            import Formats
            enum WeatherModule: Module { static var name: String { text(of: Int(ofWeather(nil))) } }

            """, to: "Plugins/Weather/Sources/Weather/WeatherModule.swift")
        try plugins.run("mkdir -p much/deeper/down; cp -r Plugins Formats much/deeper/down")
        let files = ["", "much/deeper/down/"].map { place in
            plugins.builder.build(
                ["Hello", "Plain", "Weather"].map { name in
                    BuildRequest(
                        id: name.lowercased(), folder: scratch.file("\(place)Plugins/\(name)"),
                        output: scratch.file("\(place)Plugins/\(name.lowercased()).so"),
                        configuration: .release, base: scratch.path)
                }
            ).map { result in
                #expect(result.error == nil, "\(result.compilerOutput)")
                return result.request.output
            }
        }
        for (one, other) in zip(files[0], files[1]) {
            #expect(try Files.read(one) == Files.read(other), "\(one)")
            #expect(try ELFFile(one).section(named: ".debug_line", limit: 1 << 20) != nil)
        }
    }

    @Test(
        "name folders by other names, and inner folders before the outer ones; debug builds, by their own",
        arguments: BuildConfiguration.allCases)
    func names(configuration: BuildConfiguration) throws {
        let builder = try PluginFixture().builder
        let declaration = ModuleDeclaration(id: "a", version: "1.0.0", layer: .feature)
        var compile = CompileCommand(
            sdk: try builder.sdk.get(), toolchain: try builder.toolchain.get(),
            configuration: configuration, moduleName: "A",
            note: ModuleNote(declaration: declaration, tag: BuildTag(abi: 1)), sources: [],
            usesColor: false, interfaceFolders: [])
        compile.folderNames = [("/p/Plugins/build.x", "build"), ("/p/Plugins", ".")]
        let isRelease = configuration == .release
        let inSwift = [
            "-file-compilation-dir", ".", "-debug-prefix-map", "/p/Plugins/build.x=build",
            "-debug-prefix-map", "/p/Plugins=.",
        ]
        #expect(compile.namesInSwift == (isRelease ? inSwift : []))
        let inC = ["-ffile-prefix-map=/p/Plugins=.", "-ffile-prefix-map=/p/Plugins/build.x=build"]
        #expect(compile.namesInC == (isRelease ? inC : []))
        let command = compile.command(output: "o", linkerOptions: "l", temporaryFolder: "t")
        #expect(command.arguments.contains(inSwift) == isRelease)
        #expect(command.arguments.contains("-disable-incremental-llvm-codegen"))
    }
}
