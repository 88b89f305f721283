// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesELF

@Suite("What a binary says about its libraries and its stack")
struct LibraryPathTests {
    private let folder: TemporaryFolder
    private let compiler: CCompiler

    init() throws {
        folder = try TemporaryFolder()
        compiler = try CCompiler.first()
    }

    private func library(_ name: String, _ options: [String] = []) throws -> String {
        try folder.write(
            compiler.compile("int number = 1;", ["-shared", "-Wl,-soname,\(name)"] + options),
            to: name)
    }

    @Test("everything fits into one text, and comes out of it again", arguments: [nil, "/a", ""])
    func text(path: String?) throws {
        let name = try library("a.so", ["-Wl,--no-as-needed", "-lm", "-Wl,-f,libb.so"])
        var linked = LinkedLibraries(try BinaryReport(of: name).libraries, origin: "/origin")
        #expect(linked.needed.contains("libm.so.6") && linked.auxiliaries == ["libb.so"])
        linked.rpath = path
        #expect(LinkedLibraries(text: linked.text, origin: "/origin") == linked)
        (linked.rpath, linked.runpath) = (nil, path)
        #expect(LinkedLibraries(text: linked.text, origin: "/origin") == linked)
        linked.needed = []
        linked.auxiliaries = []
        #expect(LinkedLibraries(text: linked.text, origin: nil).runpath == path)
    }

    @Test("run paths are split at the bytes where the dynamic linker splits them")
    func bytes() {
        func problems(_ text: String) -> [LibraryPathProblem] {
            RunPath(text, origin: "/origin").problems
        }
        #expect(problems("") == [])
        #expect(problems("/a:\u{301}b") == [.relativeFolder("\u{301}b")])
        #expect(problems("/\u{301}a") == [])
        #expect(problems("/a\u{FFFD}") == [.unclearFolder("/a\u{FFFD}")])
        #expect(problems("/a/$ORIGIN") == [.unclearFolder("/a/$ORIGIN")])
        #expect(problems("$ORIGIN$ORIGIN") == [.unclearFolder("$ORIGIN$ORIGIN")])
        #expect(problems(":") == [.relativeFolder(""), .relativeFolder("")])
    }

    @Test("a folder keeps its '..', which leads elsewhere behind a link")
    func parents() {
        let path = RunPath("$ORIGIN/../a:/b/../c", origin: "/origin")
        #expect(path.folders == ["/origin/../a", "/b/../c"])
    }

    @Test("the libraries of a filter are loaded, too", arguments: ["-F", "-f"])
    func filters(option: String) throws {
        let file = try library("libfilter.so", ["-Wl,\(option),libbehind.so"])
        let report = try BinaryReport(of: file)
        #expect(report.needed == (option == "-F" ? ["libbehind.so"] : []))
        #expect(report.libraries.auxiliaries == (option == "-f" ? ["libbehind.so"] : []))
        let search = LibrarySearch(
            places: LibraryPlaces(
                environment: [folder.path], system: [], cache: folder.file("none"))
        ) { _ in false }
        let linked = LinkedLibraries(report.libraries, origin: nil)
        // One that is missing is an error only of a filter that needs it.
        #expect(search.run(linked).missing.count == report.needed.count)
        let behind = try library("libbehind.so")
        #expect(search.run(linked).found.map(\.file) == [behind])
    }

    @Test("every file that may be loaded is reported, and every folder that is searched before")
    func places() throws {
        let plain = try library("libplain.so")
        let better = try folder.write(
            Files.read(plain), to: "glibc-hwcaps/x86-64-v3/libplain.so")
        let search = LibrarySearch(
            places: LibraryPlaces(
                environment: [folder.file("early"), folder.path], system: [],
                cache: folder.file("none"))
        ) { _ in false }
        var linked = LinkedLibraries(try BinaryReport(of: plain).libraries, origin: nil)
        linked.needed = ["libplain.so"]
        let places = search.run(linked).places
        #expect(places.filter { !$0.isFolder }.map(\.path) == [plain, better])
        #expect(
            places.filter(\.isFolder).map(\.path)
                == [folder.file("early"), folder.path, Path.parent(of: better)])
    }

    @Test("a stack is executable if the file says so, or says nothing")
    func stack() throws {
        let quiet = try library("libquiet.so", ["-Wl,-z,noexecstack"])
        #expect(try !ELFFile(quiet).wantsExecutableStack)
        let loud = try library("libloud.so", ["-Wl,-z,execstack"])
        #expect(try ELFFile(loud).wantsExecutableStack)
        // The kind of the table's entry becomes that of an unused one.
        var bytes = try Files.read(quiet)
        let mark: [UInt8] = [0x51, 0xe5, 0x74, 0x64]
        let header = try ELFHeader(start: bytes[...])
        let entries = stride(
            from: Int(header.segments.offset), to: bytes.count, by: ELFSegment.size)
        let entry = try #require(entries.first { bytes[$0...].starts(with: mark) })
        bytes.replaceSubrange(entry..<entry + 4, with: [0, 0, 0, 0])
        let silent = try ELFFile(folder.write(bytes, to: "libsilent.so"))
        #expect(silent.wantsExecutableStack == (ELFMachine.current != .aarch64))
    }

    @Test("a file past the limit is refused before it is read")
    func size() throws {
        let file = try library("liblarge.so")
        #expect(truncate(file, FileStatus.moduleSizeLimit) == 0)
        #expect(throws: Never.self) { try ELFFile(file).dynamicSection() }
        #expect(truncate(file, FileStatus.moduleSizeLimit + 1) == 0)
        let size = FileStatus.moduleSizeLimit + 1
        #expect(throws: ELFError.tooLarge(size: size)) { _ = try ELFFile(file) }
        #expect(
            ELFError.tooLarge(size: size).message
                == "expected a file of at most 1 GiB, found one of 1073741825 bytes")
        #expect(truncate(file, 1 << 40) == 0)
        #expect(throws: ELFError.tooLarge(size: 1 << 40)) { _ = try ELFFile(file) }
    }
}
