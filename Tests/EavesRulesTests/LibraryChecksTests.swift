// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
@testable import EavesELF
import EavesSystem
import EavesTestSupport
import EavesTrust
import Glibc
import Testing

@testable import EavesRules

@Suite("the rules about libraries")
struct LibraryChecksTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func library(_ name: String, at place: String? = nil, options: [String] = []) throws
        -> String
    {
        let function = name.prefix { $0 != "." }.replacing("-", with: "_")
        return try folder.write(
            Binary(
                source: Binary.defining("\(function)_function"),
                options: ["-Wl,-soname,\(name)"] + options
            ).compiled(), to: place ?? name)
    }

    private func addModule(linkedTo files: [String], options: [String] = []) throws {
        try folder.add(.module(options: ["-Wl,--no-as-needed"] + files + options))
    }

    @Test("all missing ones are named, also those that a library needs")
    func missing() throws {
        let inner = try library("libinner.so")
        let outer = try library(
            "libouter.so", options: ["-Wl,--no-as-needed", inner])
        let ghost = try library("libghost.so")
        try addModule(
            linkedTo: [ghost, outer],
            options: ["-Wl,-rpath,\(folder.path)", "-Wl,--disable-new-dtags"])
        #expect(try folder.inspect().outcome("needed-libraries") == .kept)
        try Files.remove(inner)
        try Files.remove(ghost)
        let missing = [
            MissingLibrary(name: "libghost.so"),
            MissingLibrary(name: "libinner.so", neededBy: "libouter.so"),
        ]
        #expect(
            try folder.inspect().outcome("needed-libraries")
                == .broken(.missingLibraries(missing, beside: [])))
    }

    @Test("$ORIGIN leads to a library next to the private copies, not to one next to the module")
    func origin() throws {
        let library = try library("libfriend.so", at: "Plugins/libfriend.so")
        try addModule(linkedTo: [library], options: ["-Wl,-rpath,$ORIGIN"])
        #expect(
            try folder.inspect().outcome("needed-libraries")
                == .broken(
                    .missingLibraries(
                        [MissingLibrary(name: "libfriend.so")], beside: ["libfriend.so"])))
        try folder.write(Files.read(library), to: ".eaves/modules/libfriend.so")
        #expect(try folder.inspect().outcome("needed-libraries") == .kept)
        #expect(try folder.inspectCopy().outcome("needed-libraries") != .kept)
        try folder.write(Files.read(library), to: "copies/libfriend.so")
        #expect(try folder.inspectCopy().outcome("needed-libraries") == .kept)
    }

    @Test("those that the process has are there, and are no modules")
    func loaded() throws {
        try addModule(linkedTo: ["-lc"])
        for _ in 1...2 {
            #expect(try folder.inspect().outcome("needed-libraries") == .kept)
            #expect(try folder.inspect().outcome("module-links") == .kept)
        }
    }

    @Test("a missing one is missed, although the process has the others")
    func missingAmongLoaded() throws {
        try addModule(linkedTo: ["-lc"])
        #expect(try folder.inspect().outcome("needed-libraries") == .kept)
        let ghost = try library("libghost.so")
        try addModule(linkedTo: ["-lc", ghost])
        try Files.remove(ghost)
        #expect(
            try folder.inspect().outcome("needed-libraries")
                == .broken(
                    .missingLibraries([MissingLibrary(name: "libghost.so")], beside: [])))
    }

    @Test("a module among them is told by its file's name, by its soname, and by its note")
    func modules() throws {
        for (options, name) in [([], "other.so"), (["-Wl,-soname,libother.so.7"], "libother.so.7")]
        {
            let other = try folder.add(
                .module(.subject("other"), options: options), as: "other.so")
            let link = ["-L\(Path.parent(of: other))", "-l:other.so"]
            try addModule(linkedTo: link)
            let linked = RuleOutcome.broken(
                .linksModules([LinkedModule(library: name, module: "other")]))
            #expect(try folder.inspect().outcome("module-links") == linked)
            // It is not missed as a library, too.
            #expect(try folder.inspect().outcome("needed-libraries") == .kept)
        }
        let stranger = try folder.write(
            Binary.module(.subject("stranger"), options: ["-Wl,-soname,libstranger.so"]).compiled(),
            to: "elsewhere/libstranger.so")
        try addModule(
            linkedTo: [stranger], options: ["-Wl,-rpath,\(Path.parent(of: stranger))"])
        #expect(
            try folder.inspect().outcome("module-links")
                == .broken(
                    .linksModules([LinkedModule(library: "libstranger.so", module: "stranger")])))
    }

    @Test("a module behind a library counts as well")
    func behind() throws {
        let stranger = try folder.write(
            Binary.module(.subject("stranger"), options: ["-Wl,-soname,libstranger.so"]).compiled(),
            to: "libstranger.so")
        let outer = try library("libouter.so", options: ["-Wl,--no-as-needed", stranger])
        try addModule(
            linkedTo: [outer], options: ["-Wl,-rpath,\(folder.path)", "-Wl,--disable-new-dtags"])
        #expect(
            try folder.inspect().outcome("module-links")
                == .broken(
                    .linksModules([LinkedModule(library: "libstranger.so", module: "stranger")])))
    }
}

/// With real modules and libraries, which the compiler has linked.
@Suite("the libraries of a module that others can change", .promptly)
struct LibraryTrustTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @discardableResult
    private func library(_ place: String, options: [String] = []) throws -> String {
        let name = Path.name(of: place)
        let function = name.prefix { $0 != "." } + "_function"
        return try folder.write(
            Binary(
                source: Binary.defining(String(function)),
                options: ["-Wl,--no-as-needed", "-Wl,-soname,\(name)"] + options
            ).compiled(), to: place)
    }

    private func createFolder(_ name: String) throws -> String {
        try Files.createFolder(folder.file(name))
        return folder.file(name)
    }

    private func addModule(linkedTo files: [String], runPath: String, _ options: [String] = [])
        throws
    {
        try folder.add(
            .module(options: ["-Wl,--no-as-needed", "-Wl,-rpath,\(runPath)"] + options + files))
    }

    private func outcome() throws -> RuleOutcome { try folder.inspect().outcome("library-trust") }

    /// The places that the rule has found fault with.
    private func faults() throws -> [String] {
        guard case .broken(.untrustedLibraries(let libraries)) = try outcome() else { return [] }
        return libraries.map { library in
            switch library.error {
            case .writable(let place, _, _), .owner(let place, _): "\(library.name) \(place.path)"
            default: "\(library.name) \(library.error)"
            }
        }
    }

    @Test("are looked for where this process was started to look, whatever it has set since")
    func host() async {
        await #expect(processExitsWith: .success) {
            setenv("LD_LIBRARY_PATH", "/late", 1)
            let places = LibraryPlaces.host
            #expect(!places.system.isEmpty && !places.environment.contains("/late"))
            let variable = Environment.atStart?["LD_LIBRARY_PATH"] ?? ""
            #expect(places.environment.isEmpty == variable.isEmpty)
        }
    }

    @Test("are refused for the file, and for each folder on the way to it")
    func ways() throws {
        let file = try library("a/b/libopen.so")
        try addModule(linkedTo: [file], runPath: Path.parent(of: file))
        #expect(try outcome() == .kept)
        for name in ["a", "a/b", "a/b/libopen.so"] {
            let path = folder.file(name)
            let mode = try FileStatus(path: path).mode
            try Files.setMode(0o777, of: path)
            #expect(try faults() == ["libopen.so \(path)"])
            let error = try #require(throws: BinaryError.self) {
                try folder.inspectCopy().checkBeforeLoading()
            }
            let diagnostic = try #require(error.diagnostics.first)
            #expect(diagnostic.code == .untrusted)
            #expect(diagnostic.message.hasPrefix("subject: needs the library 'libopen.so'; "))
            try Files.setMode(mode, of: path)
        }
        #expect(try outcome() == .kept)
    }

    @Test("of another user are refused", .enabled(if: geteuid() == 0, "needs root"))
    func owner() throws {
        let file = try library("lib/libother.so")
        try addModule(linkedTo: [file], runPath: Path.parent(of: file))
        for path in [file, Path.parent(of: file)] {
            #expect(chown(path, 54321, 54321) == 0)
            #expect(try faults() == ["libother.so \(path)"])
            #expect(chown(path, 0, 0) == 0)
        }
        #expect(try outcome() == .kept)
    }

    @Test("are refused also where another library is linked to them")
    func behind() throws {
        let inner = try library("inner/libinner.so")
        let outer = try library(
            "libouter.so", options: [inner, "-Wl,-rpath,$ORIGIN/inner", "-Wl,--enable-new-dtags"])
        try addModule(linkedTo: [outer], runPath: folder.path)
        #expect(try outcome() == .kept)
        try Files.setMode(0o666, of: inner)
        #expect(try faults() == ["libinner.so \(folder.path)/inner/libinner.so"])
    }

    @Test("could come from a folder that is searched before, and that others can write or create")
    func before() throws {
        let file = try library("good/libpast.so")
        let early = try createFolder("early")
        try addModule(linkedTo: [file], runPath: "\(early):\(folder.file("good"))")
        #expect(try outcome() == .kept)
        try Files.setMode(0o777, of: early)
        #expect(try faults() == ["libpast.so \(early)"])
        try Files.removeTree(early)
        // Only the user can create the missing folder.
        #expect(try outcome() == .kept)
        let shared = try createFolder("shared")
        try Files.setMode(0o1777, of: shared)
        try #require(symlink("shared/nowhere", early) == 0)
        #expect(try faults() == ["libpast.so \(shared)"])
    }

    @Test("could come from a folder for better processors next to a file that is trusted")
    func better() throws {
        let file = try library("good/libfast.so")
        try addModule(linkedTo: [file], runPath: folder.file("good"))
        let better = try createFolder("good/glibc-hwcaps/x86-64-v2")
        #expect(try outcome() == .kept)
        try Files.setMode(0o777, of: better)
        #expect(try faults() == ["libfast.so \(better)"])
    }

    @Test(
        "depend on the working directory, by an entry of the run path",
        arguments: ["lib", "", "$ORIGIN/lib::/usr/lib", "/usr/lib:", "./lib", "$ORIGINAL", "$LIB"])
    func runPaths(text: String) throws {
        let path = text.isEmpty ? ":" : text
        try folder.add(.module(options: ["-Wl,-rpath,\(path)"]))
        let module = try folder.inspect()
        guard case .broken(.libraryPaths(let paths)) = try module.outcome("library-paths") else {
            Issue.record("accepts the run path '\(path)'")
            return
        }
        #expect(!paths.isEmpty && paths.allSatisfy { $0.library == nil })
        #expect(module.launchDiagnostics.map(\.code) == [.untrusted])
    }

    @Test("have absolute run paths", arguments: ["/usr/lib", "$ORIGIN", "${ORIGIN}/../x:/usr/lib"])
    func absoluteRunPaths(path: String) throws {
        try folder.add(.module(options: ["-Wl,-rpath,\(path)"]))
        #expect(try folder.inspect().outcome("library-paths") == .kept)
    }

    @Test("are named without a path, also by other libraries")
    func names() throws {
        // Without a name of its own, the linker writes down the path.
        let file = try folder.write(
            Binary(source: Binary.defining("nameless")).compiled(), to: "libnameless.so")
        try addModule(linkedTo: [file], runPath: folder.path)
        let problem = LibraryPathProblem.path(file)
        #expect(
            try folder.inspect().outcome("library-paths")
                == .broken(.libraryPaths([UnclearLibraryPath(problem: problem, library: nil)])))
        let outer = try library("libouter.so", options: [file])
        try addModule(linkedTo: [outer], runPath: folder.path)
        #expect(
            try folder.inspect().outcome("library-paths")
                == .broken(
                    .libraryPaths([UnclearLibraryPath(problem: problem, library: "libouter.so")])))
    }

    @Test("want an executable stack, which the manifest has to allow")
    func stack() throws {
        let allowing =
            #"{ "manifest": 1, "modules": { "subject": { "executableStack": true } } }"#
        try folder.add(.module(options: ["-Wl,-z,execstack"]))
        #expect(
            try folder.inspect().outcome("executable-stack")
                == .broken(.executableStack(libraries: [])))
        #expect(try folder.inspect().launchDiagnostics.map(\.code) == [.untrusted])
        #expect(try folder.inspect(manifest: allowing).outcome("executable-stack") == .kept)
        let file = try library("libstack.so", options: ["-Wl,-z,execstack"])
        try addModule(linkedTo: [file], runPath: folder.path)
        #expect(
            try folder.inspect().outcome("executable-stack")
                == .broken(.executableStack(libraries: ["libstack.so"])))
        #expect(try folder.inspect(manifest: allowing).outcome("executable-stack") == .kept)
    }

    @Test("leave static memory to others, and take none for variables that code finds by a call")
    func staticMemory() throws {
        let large = Binary.threadVariable("large", of: 9000, model: "global-dynamic")
        for more in [
            large, large + Binary.threadVariable("other", of: 0),
            Binary.threadVariable("small", of: 1600),
        ] {
            try folder.add(.module(source: Binary.entry + more))
            #expect(try folder.inspect().outcome("static-memory") == .kept)
        }
        let hidden = "static " + Binary.threadVariable("hidden", of: 9000)
        try folder.add(.module(source: Binary.entry + hidden))
        #expect(try folder.inspect().outcome("static-memory") == .broken(.staticMemory(9000)))
        #expect(try folder.inspect().launchDiagnostics.count == 1)
    }
}
