// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

/// The toolchain's language server knows the sources of modules as their authors do.
@Suite(
    "editors", .onOwnThreads, .patiently,
    .enabled(if: LanguageServer.isInstalled, "needs sourcekit-lsp and clangd"))
struct EditorTests {
    private let eaves: Eaves

    init() throws { eaves = try Eaves.project() }

    /// The server builds what the sources import while it is asked.
    private func wait(for word: String, _ words: () throws -> [String]) throws {
        var found: [String] = []
        try Patience.wait(for: "'\(word)' among \(found.count) completions") {
            found = try words()
            return found.contains { $0.hasPrefix(word) }
        }
    }

    @Test("complete, show declarations, and mark a wrong line")
    func module() throws {
        try eaves("new", "interface", "weather-api").expectSuccess()
        try eaves("new", "service", "sunny", "--provides", "WeatherService").expectSuccess()
        try eaves("new", "feature", "hello", "--interface", "weather-api").expectSuccess()
        try eaves.write(
            """
            import EavesInterface
            import WeatherAPI

            enum HelloModule: Module {
                static func register(in registrar: any Registrar) {
                    registrar.registerFeature("hello") { _ in HelloFeature() }
                }
                static func forecast(_ weather: any WeatherService) {
                    weather.nothing()
                }
            }
            """, to: "Plugins/Hello/HelloModule.swift")
        let server = try LanguageServer(in: eaves.folder)
        let file = eaves.path("Plugins/Hello/HelloModule.swift")
        try wait(for: "registerFeature") {
            try server.completions(behind: "        registrar.", in: file)
        }
        let ofWeather = try server.completions(behind: "        weather.", in: file)
        #expect(ofWeather.contains { !$0.hasPrefix("self") }, "\(ofWeather)")
        let wrong = try server.messages(about: file)
        #expect(wrong.map(\.line) == [9], "\(wrong)")
        #expect(wrong.first?.text.contains("nothing") == true, "\(wrong)")
        #expect(
            try server.definitions(of: "any Registrar", in: file).contains {
                $0.hasSuffix("/Registrar.swift")
            })
        let sunny = eaves.path("Plugins/Sunny/SunnyModule.swift")
        #expect(try server.messages(about: sunny).isEmpty)
    }

    @Test("know a package, once it was built")
    func package() throws {
        try eaves("new", "interface", "weather-api").expectSuccess()
        try eaves("new", "feature", "hello", "--package", "--interface", "weather-api")
            .expectSuccess()
        try eaves("build").expectSuccess()
        let module = eaves.path("Plugins/Hello/Sources/Hello/HelloModule.swift")
        let text = try eaves.text("Plugins/Hello/Sources/Hello/HelloModule.swift")
        let lines = text.replacingOccurrences(
            of: "        registrar.", with: "        registrar.nothing()\n        registrar."
        ).split(separator: "\n", omittingEmptySubsequences: false)
        try eaves.write(
            lines.joined(separator: "\n")
                + "\nimport WeatherAPI\nlet service: (any WeatherService)? = nil\n",
            to: "Plugins/Hello/Sources/Hello/HelloModule.swift")
        let place = try #require(lines.firstIndex { $0.hasSuffix(".nothing()") }) + 1
        let server = try LanguageServer(in: eaves.folder)
        try wait(for: "registerFeature") {
            try server.completions(behind: "        registrar.", in: module)
        }
        let wrong = try server.messages(about: module)
        #expect(wrong.map(\.line) == [place], "\(wrong)")
    }

    @Test("know a module in C, once it was built")
    func moduleInC() throws {
        try eaves("new", "feature", "hello", "--c").expectSuccess()
        try eaves("build").expectSuccess()
        let file = eaves.path("Plugins/Hello/hello.c")
        let before = try LanguageServer(for: .c, in: eaves.folder)
        #expect(try before.messages(aboutSourceInC: file).isEmpty)
        let text = try eaves.text("Plugins/Hello/hello.c")
        try eaves.write(text + "\nint nothing = eaves_nothing;\n", to: "Plugins/Hello/hello.c")
        let server = try LanguageServer(for: .c, in: eaves.folder)
        let wrong = try server.messages(aboutSourceInC: file)
        #expect(wrong.count == 1 && wrong.first?.text.contains("eaves_nothing") == true, "\(wrong)")
        try wait(for: "eaves_register") {
            try server.completions(behind: "int nothing = eaves_", in: file)
        }
    }

    @Test("have the author's own files")
    func ownFiles() throws {
        try eaves("new", "feature", "hello", "--c").expectSuccess()
        try eaves.write("CompileFlags:\n  Add: [-DMINE]\n", to: "Plugins/Hello/.clangd")
        try eaves("build").expectSuccess()
        #expect(try eaves.text("Plugins/Hello/.clangd").contains("-DMINE"))
    }
}
