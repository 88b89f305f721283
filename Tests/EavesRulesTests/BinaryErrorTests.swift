// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
@testable import EavesDeclaration
import EavesDiagnostics
@testable import EavesELF
import EavesTrust
import Testing

@testable import EavesRules

@Suite("the messages about a binary")
struct BinaryErrorTests {
    private static let entry = CatalogEntry(id: "a", path: "Plugins/a.so", file: "/x/Plugins/a.so")

    static let messages: [(BinaryProblem, FailureCode, String, fix: String)] = [
        (
            .digest(expected: "00", found: "11"), .untrusted,
            "expected SHA-256 00, found 11", "put back the module that was pinned, "
        ),
        (
            .noEntryPoint, .badData,
            "expected an exported function 'eaves_register', found none", "add an entry point"
        ),
        (
            .carriesInterface("EavesInterface", ["$s14EavesInterface7FeatureMp", "b"]),
            .incompatible,
            "carries a copy of EavesInterface of its own, whose types would not be this host's "
                + "(2 symbols, such as 'protocol descriptor for EavesInterface.Feature')",
            "build it with 'eaves build'"
        ),
        (
            .lacksInterfaceSymbols(nil, ["b", "a"]), .incompatible,
            "needs symbols that this host's EavesInterface does not have: 'a', 'b'",
            "rebuild it against this host's interface with 'eaves build', or use a host that has them"
        ),
        (
            .missingLibraries([MissingLibrary(name: "libx.so")], beside: []), .incompatible,
            "needs the library 'libx.so', which is not on this machine",
            "install 'libx.so', or add its folder to LD_LIBRARY_PATH"
        ),
        (
            .missingLibraries(
                [
                    MissingLibrary(name: "libx.so"),
                    MissingLibrary(name: "liby.so", neededBy: "libz.so"),
                ], beside: []), .incompatible,
            "needs libraries that are not on this machine: 'libx.so', 'liby.so' (for 'libz.so')",
            "install 'libx.so', 'liby.so', or add their folders to LD_LIBRARY_PATH"
        ),
        (
            .missingLibraries(
                [MissingLibrary(name: "liby.so", neededBy: "libz.so")], beside: ["liby.so"]),
            .incompatible,
            "needs libraries that are not on this machine: 'liby.so' (for 'libz.so')",
            "a module is loaded from a copy, so $ORIGIN does not lead to 'liby.so' next to it: "
        ),
        (
            .linksModules([
                LinkedModule(library: "b.so", module: "b"),
                LinkedModule(library: "c.so", module: nil),
            ]), .badData,
            "is linked to another module: 'b.so' is 'b', 'c.so'; modules share only interfaces",
            "ask for what it needs as a service"
        ),
        (
            .usesModules([ForeignSymbol(symbol: "f", module: "b")]), .badData,
            "uses symbols of other modules: 'f' of 'b'; modules share only interfaces",
            "ask for a service instead, or move what both need into the interface"
        ),
        (
            .libraryPaths([UnclearLibraryPath(problem: .relativeFolder("."), library: nil)]),
            .untrusted,
            "has a run path that depends on the working directory: '.'",
            "link it again with run paths"
        ),
        (
            .lacksSymbols(["b", "a"]), .incompatible,
            "needs 'a', 'b', which neither this host nor a loaded library has",
            "rebuild it with 'eaves build' against this host's interface, or link the library that "
                + "has them"
        ),
        (
            .usesUpperLayers(
                [UpwardNeed(service: "S", providers: ["b", "c"])], interfaces: []), .badData,
            "its layer is 'core', and it uses what only features or compositions provide: S (of b, c)",
            "let a module of the layer 'core' provide it"
        ),
        (
            .usesUpperLayers(
                [],
                interfaces: [
                    UnnamedInterface(id: "i", owner: ForeignOwner(id: "o", layer: .feature))
                ]), .badData,
            "uses the interface 'i', which belongs to the feature 'o': only 'o' and modules of the layer "
                + "'composition' may use it",
            "share what both need through a common interface, which has no owner, or let"
        ),
        (
            .undeclaredServices(["S", "T"]), .badData,
            "uses S, T, which its 'requires' does not name", "add it to 'requires' in module.json"
        ),
        (
            .takenSymbols([TakenSymbol(symbol: "f", library: "l.so", definer: "app")]), .badData,
            "its library 'l.so' defines 'f', and so does 'app', whose is called in its place",
            "hide the names in 'app' ('-fvisibility=hidden'), or rename them in the library"
        ),
        (
            .signature(.noManifest), .untrusted, "no manifest says whose signatures count",
            "name one"
        ),
    ]

    @Test("name the module, both sides, and a fix", arguments: messages.indices)
    func message(index: Int) throws {
        let (problem, code, message, fix) = Self.messages[index]
        let diagnostics = BinaryError(Self.entry, [problem]).diagnostics
        #expect(diagnostics.map(\.message) == ["a: \(message) (Plugins/a.so)"])
        #expect(diagnostics.first?.code == code)
        #expect(diagnostics.first?.fix?.hasPrefix(fix) == true, "\(diagnostics)")
    }

    @Test("are the catalog's for a problem that the catalog also finds")
    func catalog() {
        var entry = Self.entry
        entry.problem = .binary(.empty)
        #expect(
            BinaryError(Self.entry, [.catalog(.binary(.empty))]).diagnostics == entry.diagnostics)
        #expect(!entry.diagnostics.isEmpty)
    }

    @Test("are all there if there are several problems")
    func several() {
        let error = BinaryError(Self.entry, [.noEntryPoint, .lacksSymbols(["b"])])
        #expect(error.diagnostics.count == 2)
        #expect(error.diagnostics[1].message.contains("'b'"))
    }

    @Test("name the path once")
    func path() {
        let named = Diagnostic("cannot read Plugins/a.so", code: .badData).naming(
            "a", "Plugins/a.so")
        #expect(named.message == "a: cannot read Plugins/a.so")
    }
}
