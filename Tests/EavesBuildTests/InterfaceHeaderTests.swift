// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
@testable import EavesCode
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesBuild

@Suite(.patiently) struct InterfaceHeaderTests {
    @Test(
        "keeps the options that say how a text is to be read, and no others",
        arguments: [
            (
                "module-flags: -target x86_64-unknown-linux-gnu -swift-version 6 -Onone -module-name A",
                nil
            ),
            ("module-flags-ignorable: -interface-compiler-version 6.3.1", nil),
            ("interface-format-version: 1.0", nil),
            ("compiler-version: Swift version 6.3.1 (swift-6.3.1-RELEASE)", nil),
            (
                "module-flags: -O -load-plugin-executable /tmp/x#M -module-name A",
                "module-flags: -O -module-name A"
            ),
            ("module-flags: -Xcc -fmodule-map-file=/tmp/m -Xllvm -x -O", "module-flags: -O"),
            ("module-flags: -module-name \"-load-plugin-executable\" -O", "module-flags: -O"),
            ("module-flags: -module-name -plugin-path /tmp -O", "module-flags: -O"),
            ("module-flags: -module-name ../../a", "module-flags: "),
            ("module-flags: -package-name", "module-flags: "),
            ("module-flags:-O\t-plugin-path\t/tmp", "module-flags: "),
            (
                "module-flags-ignorable-private: -plugin-path /tmp",
                "module-flags-ignorable-private: "
            ),
            ("interface-format-version: -x", ""),
            ("module-flags -O", ""),
            ("new-flags: -O", ""),
        ] as [(String, String?)])
    func line(line: String, expected: String?) {
        let rewritten = String(
            decoding: InterfaceHeader.rewritten(Array("// swift-\(line)\nimport Swift\n".utf8)),
            as: UTF8.self)
        let words = expected ?? line
        #expect(rewritten == (words.isEmpty ? "" : "// swift-\(words)\n") + "import Swift\n")
        #expect(InterfaceHeader.rewritten(Array(rewritten.utf8)) == Array(rewritten.utf8))
    }

    @Test(
        "takes the first line of a kind, wherever it stands, and leaves all other lines as they are"
    )
    func text() {
        let text = """
            // swift-module-flags: -O
            // swift-module-flags: -Onone
            import Swift
              // swift-module-flags: -Osize
            // swift-module-flags: -Osize
            // no more
            """
        #expect(
            String(decoding: InterfaceHeader.rewritten(Array(text.utf8)), as: UTF8.self) == """
                // swift-module-flags: -O
                import Swift
                  // swift-module-flags: -Osize
                // no more
                """)
    }

    @Test(
        "an interface from elsewhere runs no program of its own when modules are compiled against it"
    )
    func program() throws {
        let fixture = try InterfaceFixture()
        let interface = try fixture.addInterface(
            "WeatherAPI", id: "weather-api",
            source: InterfaceFixture.weather + """
                @freestanding(expression)
                public macro surprise() -> Int = #externalMacro(module: "Surprise", type: "Surprise")

                """)
        let provider = try fixture.addProvider()
        #expect(fixture.build(interface) == ["weather-api: built"])
        let program = try fixture.scratch.writeProgram(
            "touch '\(fixture.scratch.file("ran"))'", to: "p")
        try obey("-load-plugin-executable \(program)#Surprise", in: interface.output)
        try fixture.plugins.run("rm -r Plugins/WeatherAPI Plugins/.eaves-records")
        #expect(fixture.build(provider) == ["sunny: built"])
        #expect(throws: SystemError.self) { try FileStatus(path: fixture.scratch.file("ran")) }
    }

    @Test(
        "an interface that is named like a type in it is compiled against without a warning, also from its file"
    )
    func namedLikeAType() throws {
        let fixture = try InterfaceFixture()
        let interface = try fixture.addInterface(
            "Clock", id: "clock",
            source: """
                public protocol Clock: Sendable { func now() -> Tick }
                public struct Tick: Sendable { public init() {} }

                """)
        let sundial = try fixture.addModule(
            "Sundial", id: "sundial", interfaces: ["clock"], provides: ["Clock"],
            source: """
                import Clock

                public struct Sundial: Clock { public func now() -> Tick { Tick() } }

                """)
        let results = fixture.builder.build([interface, sundial])
        #expect(results.map(\.compilerOutput) == ["", ""])
        #expect(results.compactMap(\.error).isEmpty)
        try fixture.plugins.run("rm -r Plugins/Clock Plugins/.eaves-records")
        #expect(fixture.build(sundial) == ["sundial: built"])
    }

    @Test("a text may give modules other names only as the compiler gives them")
    func aliases() {
        let text =
            "// swift-module-flags: -module-alias Module___A=A -module-alias A=B "
            + "-module-alias Module___A=B"
        #expect(
            String(decoding: InterfaceHeader.rewritten(Array(text.utf8)), as: UTF8.self)
                == "// swift-module-flags: -module-alias Module___A=A")
    }

    /// Adds options to the textual interface in a file, in the place of what the compiler only shows.
    private func obey(_ options: String, in file: String) throws {
        var bytes = try Files.read(file)
        let start = try #require(bytes.firstRange(of: "// swift-compiler-version".utf8)).lowerBound
        let end = try #require(bytes.firstRange(of: "\nimport ".utf8)).lowerBound
        let header = String(decoding: bytes[start..<end], as: UTF8.self)
        let flags = try #require(
            header.split(separator: "\n").first { $0.hasPrefix("// swift-module-flags:") })
        let line = Array("\(flags) \(options)".utf8)
        let room = end - start
        try #require(line.count <= room)
        bytes.replaceSubrange(
            start..<end, with: line + Array(repeating: UInt8(ascii: " "), count: room - line.count))
        try Files.replace(file, with: bytes, mode: 0o755)
    }
}
