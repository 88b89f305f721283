// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@testable import EavesELF
import EavesSystem
import EavesTestSupport
import Testing

/// With real libraries, in folders that stand for those of a machine.
@Suite("Looking for libraries")
struct LibrarySearchTests {
    private let folder: TemporaryFolder
    private let compiler: CCompiler

    init() throws {
        folder = try TemporaryFolder()
        compiler = try CCompiler.first()
    }

    private func path(_ name: String) -> String { Path.join(folder.path, name) }

    /// A library that is linked to others, wherever those are.
    @discardableResult
    private func library(
        _ file: String, needing names: [String] = [], _ options: [String] = []
    ) throws -> String {
        let stubs = try TemporaryFolder()
        let needed = try names.map { name in
            try stubs.write(
                compiler.compile("int stub;", ["-shared", "-Wl,-soname,\(name)"]), to: name)
        }
        let bytes = try compiler.compile(
            "int number = 1;",
            ["-shared", "-Wl,--no-as-needed", "-Wl,-soname,\(Path.name(of: file))"] + needed
                + options)
        return try folder.write(bytes, to: file)
    }

    private func search(
        _ needed: [String], rpath: String? = nil, runpath: String? = nil, origin: String? = nil,
        host: [String] = [], environment: [String] = [], system: [String] = [],
        cache: String? = nil, loaded: Set<String> = []
    ) throws -> LibrarySearch.Outcome {
        let options =
            (rpath.map { ["-Wl,--disable-new-dtags", "-Wl,-rpath,\($0)"] } ?? [])
            + (runpath.map { ["-Wl,--enable-new-dtags", "-Wl,-rpath,\($0)"] } ?? [])
        let module = try library("module.so", needing: needed, options)
        let report = try BinaryReport(of: module)
        try #require(report.libraries.rpath == rpath && report.libraries.runpath == runpath)
        let places = LibraryPlaces(
            host: host, environment: environment, system: system,
            cache: cache ?? path("no-cache"))
        let search = LibrarySearch(places: places) { loaded.contains($0) }
        return search.run(LinkedLibraries(report.libraries, origin: origin))
    }

    @Test("names all missing libraries, and none that the process has")
    func missing() throws {
        try library("system/libb.so")
        let outcome = try search(
            ["liba.so", "libb.so", "libc.so.6", "libd.so"], system: [path("system")],
            loaded: ["libc.so.6"])
        #expect(outcome.missing == ["liba.so", "libd.so"].map { MissingLibrary(name: $0) })
        #expect(outcome.found.map(\.file) == [path("system/libb.so")])
        #expect(outcome.isCertain)
    }

    @Test("takes the first of the module's, the host's, the environment's, the system's folders")
    func order() throws {
        for place in ["own", "host", "environment", "system"] {
            try library("\(place)/liba.so")
        }
        func found(rpath: String? = nil, runpath: String? = nil, removing place: String? = nil)
            throws -> String?
        {
            if let place { try Files.remove(path("\(place)/liba.so")) }
            return try search(
                ["liba.so"], rpath: rpath, runpath: runpath, host: [path("host")],
                environment: [path("environment")], system: [path("system")]
            ).found.first?.file
        }
        #expect(try found(rpath: path("own")) == path("own/liba.so"))
        #expect(try found() == path("host/liba.so"))
        // A RUNPATH comes behind the environment, and makes every RPATH void.
        #expect(try found(runpath: path("own")) == path("environment/liba.so"))
        #expect(
            try found(runpath: path("own"), removing: "environment") == path("own/liba.so"))
        #expect(try found(runpath: path("none")) == path("system/liba.so"))
        #expect(try found(removing: "host") == path("system/liba.so"))
        #expect(try found(removing: "system") == nil)
    }

    @Test("goes on to what libraries need, where their own run paths lead")
    func transitive() throws {
        try library("one/liba.so", needing: ["libb.so", "libc.so"], ["-Wl,-rpath,$ORIGIN/../two"])
        try library("two/libb.so", needing: ["liba.so", "libd.so"])
        let outcome = try search(["liba.so"], environment: [path("one")])
        #expect(outcome.found.map(\.name) == ["liba.so", "libb.so"])
        #expect(
            outcome.missing == [
                MissingLibrary(name: "libc.so", neededBy: "liba.so"),
                MissingLibrary(name: "libd.so", neededBy: "libb.so"),
            ])
    }

    @Test("an RPATH holds for what libraries need, too; a RUNPATH does not")
    func inherited() throws {
        try library("place/liba.so", needing: ["libb.so"])
        try library("place/libb.so")
        #expect(try search(["liba.so"], rpath: path("place")).missing == [])
        #expect(
            try search(["liba.so"], runpath: path("place")).missing
                == [MissingLibrary(name: "libb.so", neededBy: "liba.so")])
    }

    @Test(
        "an RPATH holds for what a library with a RUNPATH of its own needs, and not for that library"
    )
    func inheritedThroughRunPath() throws {
        let options = ["-Wl,--enable-new-dtags", "-Wl,-rpath,\(path("own"))"]
        try library("place/liba.so", needing: ["libb.so", "libd.so"], options)
        try library("own/libb.so", needing: ["libc.so"])
        try library("place/libc.so")
        try library("place/libd.so")
        // As glibc does: what libb needs is found by the RPATH of the module, and what liba needs is not.
        #expect(
            try search(["liba.so"], rpath: path("place")).missing
                == [MissingLibrary(name: "libd.so", neededBy: "liba.so")])
    }

    @Test("an RPATH next to a RUNPATH holds for nothing, as for the dynamic linker")
    func bothPaths() throws {
        try library("place/liba.so", needing: ["libb.so"])
        try library("place/libb.so")
        let report = try BinaryReport(of: library("module.so", needing: ["liba.so"]))
        var linked = LinkedLibraries(report.libraries, origin: nil)
        (linked.rpath, linked.runpath) = (path("place"), path("place"))
        let places = LibraryPlaces(system: [], cache: path("no-cache"))
        #expect(
            LibrarySearch(places: places) { _ in false }.run(linked).missing
                == [MissingLibrary(name: "libb.so", neededBy: "liba.so")])
    }

    @Test("$ORIGIN is the folder that the module is loaded from")
    func origin() throws {
        try library("beside/liba.so")
        for token in ["$ORIGIN", "${ORIGIN}"] {
            let runpath = "\(token)/beside"
            #expect(try search(["liba.so"], runpath: runpath, origin: folder.path).missing == [])
            #expect(
                try search(["liba.so"], runpath: runpath, origin: "/nowhere").missing.count == 1)
        }
    }

    @Test("reports nothing where only the dynamic linker can know")
    func uncertain() throws {
        for runpath in ["$LIB", "/opt/${PLATFORM}/lib", "$ORIGIN"] {
            let outcome = try search(["liba.so"], runpath: runpath)
            #expect(outcome.missing.isEmpty && !outcome.isCertain)
        }
        try folder.write("another format", to: "other-cache")
        let outcome = try search(["liba.so"], cache: path("other-cache"))
        #expect(outcome.missing.isEmpty && !outcome.isCertain)
    }

    @Test("passes over files for another machine, and leaves damaged ones to the dynamic linker")
    func unusable() throws {
        let library = try library("good/liba.so")
        let bytes = try Files.read(library)
        try folder.write(bytes.patched(18..<19, with: 200), to: "other/liba.so")
        try folder.write(bytes.patched(4..<5, with: 1), to: "small/liba.so")
        let environment = [path("other"), path("small")]
        #expect(try search(["liba.so"], environment: environment).missing.count == 1)
        #expect(
            try search(["liba.so"], environment: environment + [path("good")]).found.map(\.file)
                == [library])
        try folder.write(bytes.prefix(100), to: "cut/liba.so")
        let cut = try search(["liba.so"], environment: [path("cut")])
        #expect(cut.missing.isEmpty && !cut.isCertain)
    }

    @Test(
        "looks into the folders for better processors",
        arguments: ["glibc-hwcaps/x86-64-v3", "haswell", "tls/avx512_1"])
    func capabilities(variant: String) throws {
        let file = try library("place/\(variant)/liba.so")
        #expect(
            try search(["liba.so"], environment: [path("place")]).found.map(\.file) == [file])
    }

    @Test("a library that was found is also known by its own name")
    func soname() throws {
        try library("place/liba.so", needing: [], ["-Wl,-soname,libreal.so.1"])
        let outcome = try search(
            ["liba.so", "libreal.so.1", "libother.so.1"], environment: [path("place")])
        #expect(outcome.found.map(\.name) == ["liba.so"])
        #expect(outcome.missing.map(\.name) == ["libother.so.1"])
    }

    @Test("ends when libraries need each other")
    func circle() throws {
        try library("place/liba.so", needing: ["libb.so"])
        try library("place/libb.so", needing: ["liba.so"])
        let outcome = try search(["liba.so", "libb.so"], environment: [path("place")])
        #expect(outcome.missing.isEmpty && outcome.found.count == 2)
    }

    @Test("a name with a slash is a path")
    func paths() throws {
        let file = try library("place/liba.so")
        let report = try BinaryReport(of: file)
        var needs = LinkedLibraries(report.libraries, origin: path("place"))
        needs.needed = [file, "$ORIGIN/liba.so", path("none.so")]
        let search = LibrarySearch(places: LibraryPlaces(system: [])) { _ in false }
        let outcome = search.run(needs)
        #expect(outcome.found.map(\.file) == [file, file])
        #expect(outcome.missing == [MissingLibrary(name: path("none.so"))])
    }
}

@Suite("The list of the machine's libraries")
struct LibraryCacheTests {
    /// As `ldconfig` writes it.
    private func cache(_ files: [(name: String, file: String)], old: Int? = nil) -> [UInt8] {
        var texts: [UInt8] = []
        var entries: [UInt8] = []
        let start = 48 + 24 * files.count
        for (name, file) in files {
            let key = start + texts.count
            texts += Array(name.utf8) + [0]
            let value = start + texts.count
            texts += Array(file.utf8) + [0]
            entries += [0x303, key, value, 0].flatMap(bytes) + Array(repeating: 0, count: 8)
        }
        var header = Array("glibc-ld.so.cache1.1".utf8)
        header += [files.count, texts.count, 0, 0, 0, 0, 0].flatMap(bytes)
        var before: [UInt8] = []
        if let old {
            before = Array("ld.so-1.7.0\0".utf8) + bytes(old)
            before += Array(repeating: 0, count: (12 * old + 7) / 8 * 8)
        }
        return before + header + entries + texts
    }

    private func bytes(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private let files = [
        (name: "libz.so.1", file: "/lib/one/libz.so.1"),
        (name: "libz.so.1", file: "/lib/two/libz.so.1"),
        (name: "libz.so", file: "/lib/libz.so"),
    ]

    @Test("gives every file of a name", arguments: [nil, 0, 2, 3])
    func lookup(old: Int?) throws {
        let cache = try #require(LibraryCache(cache(files, old: old)))
        #expect(cache.files(of: "libz.so.1") == ["/lib/one/libz.so.1", "/lib/two/libz.so.1"])
        #expect(cache.files(of: "libz.so") == ["/lib/libz.so"])
        #expect(cache.files(of: "libz").isEmpty && cache.files(of: "").isEmpty)
    }

    @Test("of this machine leads to files")
    func real() throws {
        let path = "/etc/ld.so.cache"
        guard (try? FileStatus(path: path)) != nil else {
            try Test.cancel("needs a machine with such a list")
        }
        let cache = try #require(LibraryCache(path))
        let found = cache.files(of: "libc.so.6")
        #expect(!found.isEmpty)
        #expect(found.allSatisfy { (try? FileStatus(path: $0)) != nil })
    }

    @Test("may be damaged in any way")
    func damage() {
        for whole in [cache(files), cache(files, old: 2)] {
            for count in whole.indices {
                _ = LibraryCache(Array(whole[..<count]))?.files(of: "libz.so.1")
            }
            for offset in whole.indices {
                for value in [0, 0x7f, 0xff, whole[offset] ^ 1, whole[offset] ^ 0x80] {
                    var damaged = whole
                    damaged[offset] = value
                    _ = LibraryCache(damaged)?.files(of: "libz.so.1")
                }
            }
        }
    }
}

/// The lists are as glibc returns them: without a word on where each folder comes from.
@Suite("The places where this process looks for libraries")
struct LibraryPlacesTests {
    private static let system = ["/lib/machine", "/lib"]

    /// The libraries of a program in `/app/bin`, as its file names them.
    private func program(_ options: String...) throws -> LinkedLibraries {
        let bytes = try CCompiler.first().compile("int main(void) { return 0; }", options)
        let folder = try TemporaryFolder()
        return try withExtendedLifetime(folder) {
            let file = try ELFFile(program: folder.write(bytes, to: "program"))
            return LinkedLibraries(try file.dynamicSection().libraries, origin: "/app/bin")
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
        let program = LinkedLibraries(try file.dynamicSection().libraries, origin: "/app/bin")
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
