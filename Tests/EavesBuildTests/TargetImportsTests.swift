// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesTestSupport
import Testing

@testable import EavesCode
@testable import EavesCompiler

@Suite("Imports of a package's target", .onOwnThreads, .patiently)
struct TargetImportsTests {
    private func imports(_ module: String, _ commands: [String]) -> [String]? {
        let lines = commands.map { "  \"C.x\":\n    tool: shell\n    args: [\($0)]\n" }
        return TargetImports(of: module, inCommands: Array(lines.joined().utf8))?.arguments
    }

    private func compilation(_ module: String, into folder: String, _ options: String) -> String {
        #""/swiftc","-module-name","\#(module)","-emit-module-path","/p/\#(folder)/\#(module)"#
            + #".swiftmodule","-Onone","-D","X",\#(options),"-swift-version","6""#
    }

    @Test("are the folders, the maps and the language of the command that compiles it")
    func arguments() {
        let options =
            #""-I","/p/Modules","-Xcc","-fmodule-map-file=/p/a b/module.modulemap","-j2","#
            + #""-cxx-interoperability-mode=default","-package-name","p""#
        let found = imports("Weather", [compilation("Weather", into: "Modules", options)])
        #expect(
            found == [
                "-I", "/p/Modules", "-Xcc", "-fmodule-map-file=/p/a b/module.modulemap",
                "-cxx-interoperability-mode=default", "-package-name", "p",
            ])
    }

    @Test("are not those of a link, of another target, or of the target as a macro needs it")
    func others() {
        let link = #""/swiftc","-o","/p/libWeather.so","-module-name","Weather","-I","/link""#
        let other = compilation("Weathers", into: "Modules", #""-I","/other","-D","Weather""#)
        let tool = compilation("Weather", into: "Modules-tool", #""-I","/tool""#)
        #expect(imports("Weather", [link, other, tool]) == nil)
        let own = compilation("Weather", into: "Modules", #""-I","/own""#)
        #expect(imports("Weather", [link, other, tool, own]) == ["-I", "/own"])
    }

    @Test("stand next to the command that links the library, whose run path is left out")
    func linking() {
        let lines = ["Other", "Weather"].map { name in
            #"    args: ["/swiftc","-o","/p/lib\#(name).so","-emit-library","-Xlinker","#
                + #""-rpath=$ORIGIN","@/p/\#(name).list"]"# + "\n"
        }
        let commands = PackageCommands(text: Array(lines.joined().utf8))
        #expect(
            commands.linking("libWeather.so")
                == ["-o", "/p/libWeather.so", "-emit-library", "@/p/Weather.list"])
        #expect(commands.linking("libRain.so") == nil)
    }

    @Test("of text that is no list of commands are unknown")
    func damaged() {
        #expect(imports("Weather", [#""Weather""#, #""Weather"#]) == nil)
        #expect(TargetImports(of: "Weather", inCommands: [0xff, 0x0a]) == nil)
        let problem = DependencyProblem.unknownCommands(file: "W/debug.yaml", target: "Weather")
        let message = BuildError("weather", .dependency(problem)).diagnostics[0]
        #expect(
            message.message
                == "weather: W/debug.yaml does not say how SwiftPM makes 'Weather', as that of "
                + "Swift 6.3 does")
        #expect(message.fix?.contains("Swift 6.3") == true)
        #expect(message.code == .incompatible)
    }
}
