// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// The toolchain's language server knows the sources of modules as their authors do.
@Suite(
    "editors", .onOwnThreads, .patiently,
    .enabled(if: LanguageServer.isInstalled, "needs sourcekit-lsp and clangd"))
struct EditorTests {
    private let eaves: Eaves

    init() throws { eaves = try Eaves.project() }

    /// Asks a server for completions until a word is among them: it builds what the sources import meanwhile.
    ///
    /// On a busy machine, `sourcekit-lsp` once knew no package after thirteen minutes. An author would start it again, as
    /// this function does. It prints the end of the server's log.
    private func server(
        knowing word: String, behind text: String, in file: URL
    ) throws -> LanguageServer {
        var server = try LanguageServer(in: eaves.folder)
        var begun = ContinuousClock.now
        var found: [String] = []
        try Patience.wait(for: "'\(word)' among \(found.count) completions") {
            do {
                found = try server.completions(behind: text, in: file)
                if found.contains(where: { $0.hasPrefix(word) }) { return true }
                if begun.duration(to: .now) > LanguageServer.limit { throw server.silence }
            } catch let silence as LanguageServer.Silence {
                print("started again: \(silence)")
                server = try LanguageServer(in: eaves.folder)
                begun = .now
            }
            return false
        }
        return server
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
        let file = eaves.path("Plugins/Hello/HelloModule.swift")
        let server = try server(
            knowing: "registerFeature", behind: "        registrar.", in: file)
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
        let server = try server(
            knowing: "registerFeature", behind: "        registrar.", in: module)
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
        try Patience.wait(for: "'eaves_register' among the completions") {
            try server.completions(behind: "int nothing = eaves_", in: file)
                .contains { $0.hasPrefix("eaves_register") }
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
