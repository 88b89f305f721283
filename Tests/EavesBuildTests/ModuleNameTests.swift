// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesBuildTestSupport
import EavesSystem
import EavesTestSupport
import Testing

@Suite struct ModuleNameTests {
    @Test(
        "the Swift module is named for the folder, as an identifier",
        arguments: [
            ("Weather", "Weather"), ("my-weather", "my_weather"), ("2Fast", "_2Fast"),
            ("a b.c", "a_b_c"), ("Wärme", "W_rme"), ("天気", "weather_1"), ("import", "import"),
        ])
    func names(folder: String, expected: String) throws {
        let compiler = try CompilerFixture()
        let plugins = try PluginFixture(environment: compiler.environment)
        let request = try plugins.add(folder, id: "weather-1")
        #expect(plugins.builder.build([request])[0].error == nil)
        let arguments = try compiler.arguments
        let place = try #require(arguments.firstIndex(of: "-module-name"))
        #expect(arguments[place + 1] == expected)
        let abiPlace = try #require(arguments.firstIndex(of: "-module-abi-name"))
        #expect(arguments[abiPlace + 1].hasPrefix(expected + "_"))
    }

    @Test(
        "a keyword is a name like any other", arguments: ["import", "class", "self", "Any", "in"])
    func keywords(folder: String) throws {
        let plugins = try PluginFixture()
        let request = try plugins.add(folder, id: "word")
        try plugins.scratch.write("import Foundation\n", to: "Plugins/\(folder)/main-file.swift")
        #expect(plugins.builder.build([request])[0].error == nil)
    }
}
