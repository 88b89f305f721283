// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesSystem
import EavesTestSupport
import Testing

/// The lists are as glibc returns them: without a word on where each folder comes from.
@Suite("The places where this process looks for libraries")
struct LibraryPlacesTests {
    private static let system = ["/lib/machine", "/lib"]

    /// What the file of a program in `/app/bin` says.
    private func program(_ options: String...) throws -> LinkedLibraries {
        let bytes = try CCompiler.first().compile("int main(void) { return 0; }", options)
        let folder = try TemporaryFolder()
        return try withExtendedLifetime(folder) {
            let file = try ELFFile(program: folder.write(bytes, to: "program"))
            return LinkedLibraries(try file.dynamicSection(), origin: "/app/bin")
        }
    }

    private func places(
        _ listed: [String], _ program: LinkedLibraries?, variable: String? = nil
    ) -> LibraryPlaces {
        var environment = Environment()
        environment["LD_LIBRARY_PATH"] = variable
        return LibraryPlaces(
            listed: listed + Self.system, program: program, environment: environment)
    }

    @Test("are the system's where neither the program nor the environment names others")
    func plain() throws {
        let program = try program()
        for variable in [nil, ""] {
            #expect(
                places([], program, variable: variable) == LibraryPlaces(system: Self.system))
        }
    }

    @Test(
        "are those of the environment, as the dynamic linker reads it",
        arguments: [
            ("/a:/b/", ["/a", "/b"]), ("/a;/b", ["/a", "/b"]), (":/a", [".", "/a"]),
            ("/a:/a//", ["/a", "/a"]), ("here/lib", ["here/lib"]),
            ("$ORIGIN/../lib", ["/app/bin/../lib"]), ("/lib:/a", ["/lib", "/a"]),
        ])
    func environment(variable: String, folders: [String]) throws {
        var listed: [String] = []
        for folder in folders where !listed.contains(folder) { listed.append(folder) }
        #expect(
            try places(listed, program(), variable: variable)
                == LibraryPlaces(environment: folders, system: Self.system))
    }

    @Test("are those of the program's RPATH, and not those of its RUNPATH")
    func runPaths() throws {
        let listed = ["/x", "/app/bin"]
        let (old, new) = ("-Wl,--disable-new-dtags", "-Wl,--enable-new-dtags")
        let path = "-Wl,-rpath,/x:$ORIGIN"
        #expect(
            try places(listed + ["/a"], program(old, path), variable: "/a")
                == LibraryPlaces(host: listed, environment: ["/a"], system: Self.system))
        #expect(
            try places(["/a"] + listed, program(new, path), variable: "/a")
                == LibraryPlaces(environment: ["/a"], system: Self.system))
    }

    @Test("are not those of an RPATH that has a RUNPATH next to it")
    func bothRunPaths() throws {
        var bytes = try CCompiler.first().compile(
            "int main(void) { return 0; }", ["-Wl,--enable-new-dtags", "-Wl,-rpath,/x"])
        // No linker writes both. So the entry for a debugger becomes an RPATH of the same text.
        let debug = try #require(Self.entry(21, in: bytes))
        let runPath = try #require(Self.entry(29, in: bytes))
        bytes[debug] = 15
        for byte in 8..<16 { bytes[debug + byte] = bytes[runPath + byte] }
        let folder = try TemporaryFolder()
        let file = try ELFFile(program: folder.write(bytes, to: "program"))
        let program = LinkedLibraries(try file.dynamicSection(), origin: "/app/bin")
        #expect(program.rpath == "/x" && program.runpath == "/x")
        #expect(places(["/x"], program) == LibraryPlaces(system: Self.system))
    }

    /// The place of an entry of the dynamic section.
    private static func entry(_ tag: UInt64, in bytes: [UInt8]) -> Int? {
        func number(at offset: Int, _ size: Int = 8) -> Int {
            (0..<size).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
        }
        let (table, entrySize, count) = (number(at: 32), number(at: 54, 2), number(at: 56, 2))
        let segments = (0..<count).map { table + $0 * entrySize }
        guard let dynamic = segments.first(where: { number(at: $0, 4) == 2 }) else { return nil }
        let start = number(at: dynamic + 8)
        return stride(from: start, to: start + number(at: dynamic + 32), by: 16).first {
            number(at: $0) == Int(tag)
        }
    }

    @Test("are none of the system's where only the dynamic linker knows what a folder stands for")
    func unclear() throws {
        let listed = ["/a/lib/machine", "/b"]
        let all = LibraryPlaces(environment: listed + Self.system, system: [])
        #expect(try places(listed, program(), variable: "/a/$LIB:/b") == all)
        #expect(places(listed, nil) == all)
        let unknown = LibraryPlaces(
            listed: listed + Self.system, program: try program(), environment: nil)
        #expect(unknown == all)
    }
}
