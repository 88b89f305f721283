// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// The command's own part of interface modules: how it finds them, and what it prints.
@Suite("eaves interface", .onOwnThreads)
struct InterfaceCommandTests {
    private static let text =
        "public protocol WeatherService: Sendable { func report() -> String }\n"

    private func workspace() throws -> Workspace {
        let workspace = try Workspace(modules: [])
        try workspace.folder.write(
            #"{"id": "weather-api", "version": "1.0.0", "layer": "interface"}"#,
            to: "Plugins/WeatherAPI/module.json")
        try workspace.folder.write(Self.text, to: "Plugins/WeatherAPI/Weather.swift")
        return workspace
    }

    @Test("compares, and sets the version, and prints both as the schema says")
    func whole() throws {
        let workspace = try workspace()
        let eaves = workspace.eaves
        let first = try eaves("interface", "check", "--json")
        #expect(first.code == 66)
        #expect(first.errors.contains("weather-api: there is no baseline.json to compare with"))
        try OutputSchema.read(first.output, as: "interface")
        #expect(try eaves("interface", "bump").code == 0)
        #expect(try eaves("interface", "check", "weather-api").code == 0)

        try workspace.folder.write(
            Self.text + "public protocol More {}\n", to: "Plugins/WeatherAPI/Weather.swift")
        let added = try eaves("interface", "check", "--json")
        #expect(added.code == 65)
        try OutputSchema.read(added.output, as: "interface")
        let wrong = try eaves("interface", "bump", "weather-api", "--to", "3.0.0")
        #expect(wrong.code == 65)
        #expect(wrong.errors.contains("expected a version 1.1, which follows from the changes"))
        try OutputSchema.read(
            eaves("interface", "bump", "--json").output, as: "interface")
        #expect(
            try workspace.folder.read("Plugins/WeatherAPI/module.json")
                == #"{"id": "weather-api", "version": "1.1.0", "layer": "interface"}"#)

        try workspace.folder.write(
            "public protocol More {}\n", to: "Plugins/WeatherAPI/Weather.swift")
        let broken = try eaves("interface", "check", "./Plugins/WeatherAPI")
        #expect(broken.code == 76)
        #expect(broken.errors.contains("break providers and users"))
        #expect(broken.output.contains("removed protocol WeatherService"))
    }

    @Test("needs a word that says what to do, and an interface module")
    func usage() throws {
        let workspace = try workspace()
        for words in [
            ["interface"], ["interface", "chekc"], ["interface", "check", "--to", "2.0"],
        ] {
            #expect(try workspace.eaves(words).code == 64)
        }
        #expect(try workspace.eaves("interface", "check", "nowhere").code == 66)
    }

    @Test("the manifest's directories are where a folder elsewhere finds its interfaces")
    func fromManifest() throws {
        let workspace = try workspace()
        try workspace.folder.write(
            """
            {"id": "sunny", "version": "1.0.0", "layer": "core", "interfaces": ["weather-api"],
             "provides": [{"service": "WeatherService"}]}
            """, to: "Far/Away/Sunny/module.json")
        try workspace.folder.write(
            """
            import EavesInterface
            import WeatherAPI

            struct Sunny: WeatherService { func report() -> String { "sunny" } }

            enum SunnyModule: Module {
                static func register(in registrar: any Registrar) {
                    registrar.register((any WeatherService).self, scope: .transient) { _ in Sunny() }
                }
            }

            """, to: "Far/Away/Sunny/Sunny.swift")
        let outcome = try workspace.eaves("build", "./Far/Away/Sunny")
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.errors.contains("built weather-api in "))
        #expect(workspace.folder.has("Far/Away/sunny.so"))
        #expect(workspace.folder.has("Plugins/weather-api.so"))
    }
}
