// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
@testable import EavesCompiler
import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesBuild

/// Messages of the compilers after which the build says what to do here.
@Suite("advice", .onOwnThreads, .patiently) struct CompilerAdviceTests {
    /// Builds a module that imports a Swift module.
    private func error(importing name: String, in plugins: PluginFixture) throws -> BuildError {
        let request = try plugins.add("Hello")
        try plugins.scratch.write("import \(name)\n", to: "Plugins/Hello/Use.swift")
        let result = plugins.builder.build([request])[0]
        #expect(result.compilerOutput.contains("error: no such module '\(name)'"))
        return try #require(result.error)
    }

    @Test("on an import: a package, a C library, or the interface that is meant")
    func unknown() throws {
        let error = try error(importing: "WeatherAPI", in: PluginFixture())
        #expect(error.cause == .dependency(.noSuchModule(name: "WeatherAPI", .unknown)))
        #expect(
            error.diagnostics[0].message == "hello: there is no Swift module 'WeatherAPI' to import"
        )
        let fix = try #require(error.diagnostics[0].fix)
        for word in ["\"interfaces\"", "Package.swift", "\"link\"", "module WeatherAPI {"] {
            #expect(fix.contains(word))
        }
        #expect(error.diagnostics[0].code == .badData)
    }

    @Test("on an import of an interface module that module.json does not name")
    func interface() throws {
        let plugins = try PluginFixture()
        try plugins.scratch.write(
            #"{ "id": "weather-api", "version": "1.0.0", "layer": "interface", "module": "WeatherAPI" }"#,
            to: "Plugins/weather/module.json"
        )
        let error = try error(importing: "WeatherAPI", in: plugins)
        #expect(
            error.cause
                == .dependency(.noSuchModule(name: "WeatherAPI", .interface(id: "weather-api"))))
        #expect(
            error.diagnostics[0].fix == "add it to module.json: \"interfaces\": [\"weather-api\"]")
    }

    @Test("on an import of an interface module that was dropped in as a file")
    func interfaceFile() throws {
        let plugins = try PluginFixture()
        try plugins.run("mkdir Plugins; cp \(InterfaceFixture.made.get().file) Plugins")
        let error = try error(importing: "WeatherAPI", in: plugins)
        #expect(
            error.cause
                == .dependency(.noSuchModule(name: "WeatherAPI", .interface(id: "weather-api"))))
    }

    @Test("on an import of another module, or of the host's own")
    func other() throws {
        let plugins = try PluginFixture()
        try plugins.add("Sunny")
        #expect(
            try error(importing: "Sunny", in: plugins).cause
                == .dependency(.noSuchModule(name: "Sunny", .module(id: "sunny"))))
        let own = try error(importing: "EavesRegistry", in: plugins)
        #expect(own.cause == .dependency(.noSuchModule(name: "EavesRegistry", .ofEaves)))
        #expect(
            own.diagnostics[0].message == "hello: imports 'EavesRegistry', which is not for modules"
        )
    }

    @Test("on headers and libraries, whichever way the compilers name them")
    func missing() throws {
        let request = BuildRequest(id: "x", folder: "/x", output: "/x.so")
        func cause(_ line: String) -> BuildError.Cause? {
            CompilerAdvice(about: line, of: request, InterfaceLookup()).error?.cause
        }
        #expect(
            cause("/x/shim.h:1:10: fatal error: 'sqlite3.h' file not found\n")
                == .dependency(.missingHeader("sqlite3.h")))
        #expect(
            cause("/x/module.modulemap:1:30: error: header '/usr/include/sqlite3.h' not found")
                == .dependency(.missingHeader("/usr/include/sqlite3.h")))
        #expect(
            cause("ld.lld: error: unable to find library -lsqlite3")
                == .dependency(.missingLibraries(["sqlite3"])))
        #expect(cause("/x/a.swift:1:1: error: cannot find 'x' in scope") == nil)
        #expect(
            DependencyProblem.missingHeader("/usr/include/sqlite3.h").fix
                == "on Debian and Ubuntu, 'apt install libsqlite3-dev'")
        #expect(
            DependencyProblem.missingHeader("vector").fix
                == "on Debian and Ubuntu, 'apt install g++'")
    }
}
