// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@testable import EavesDeclaration
import EavesCatalog
import EavesDiagnostics
@testable import EavesELF
import EavesLoader
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesRules

@Suite("the rules that a launch checks")
struct LaunchRulesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func problems(of module: InspectedModule) -> [BinaryProblem] {
        do throws(BinaryError) {
            try module.checkBeforeLoading()
            return []
        } catch {
            #expect(error.entry == module.entry)
            return error.problems
        }
    }

    @Test("are kept by a module that is well")
    func well() throws {
        try folder.add(.module())
        let copy = try folder.inspectCopy()
        #expect(problems(of: copy) == [])
        try copy.checkDemands()
    }

    @Test("are about the copy that is loaded, whatever its original is")
    func copy() throws {
        try folder.add(.module())
        let copy = try Binary.module(source: "int eaves_register = 1;").compiled()
        #expect(problems(of: try folder.inspectCopy(copy)) == [.noEntryPoint])
    }

    @Test("are all reported, in the order of the table")
    func several() throws {
        let library = try folder.write(
            Binary(source: Binary.defining("ghost"), options: ["-Wl,-soname,libghost.so"])
                .compiled(), to: "libghost.so")
        try folder.add(.module(.subject("other")), as: "other.so")
        let source =
            Binary.defining(BrokenModules.featureProtocol)
            + Binary.calling(BrokenModules.unknownProtocol)
        try folder.add(.module(.subject("upper", provides: ["Unheard"])), as: "upper.so")
        try folder.add(
            .module(
                .subject(layer: .core), source: source,
                options: [
                    "-Wl,--no-as-needed", library, "-L\(folder.file("Plugins"))", "-l:other.so",
                ]))
        #expect(
            problems(of: try folder.inspectCopy()) == [
                .noEntryPoint,
                .carriesInterface("EavesInterface", [BrokenModules.featureProtocol]),
                .lacksInterfaceSymbols(nil, [BrokenModules.unknownProtocol]),
                .missingLibraries([.init(name: "libghost.so")], beside: []),
                .linksModules([LinkedModule(library: "other.so", module: "other")]),
                .usesUpperLayers(
                    [UpwardNeed(service: "Unheard", providers: ["upper"])], interfaces: []),
            ])
    }

    @Test("begin with the manifest's demands, and go no further if these are not met")
    func demands() throws {
        try folder.add(.module(source: "int eaves_register = 1;"))
        let wrong = String(repeating: "0", count: 64)
        let pins = #"{ "manifest": 1, "modules": { "subject": { "sha256": "\#(wrong)" } } }"#
        let copy = try folder.inspectCopy(manifest: pins)
        let found = try SHA256.digest(of: OpenFile(reading: copy.entry.file)).hex
        #expect(problems(of: copy) == [.digest(expected: wrong, found: found)])
        #expect(throws: BinaryError(copy.entry, [.digest(expected: wrong, found: found)])) {
            try copy.checkDemands()
        }
        #expect(try folder.inspect(manifest: pins).launchDiagnostics.map(\.code) == [.untrusted])
    }

    @Test("begin with the digest, which costs less than the signature")
    func digestFirst() throws {
        try folder.add(.module())
        let both = #"""
            { "manifest": 1, "signatures": "required",
              "modules": { "subject": { "sha256": "\#(String(repeating: "0", count: 64))" } } }
            """#
        guard case .digest = problems(of: try folder.inspectCopy(manifest: both)).first else {
            Issue.record("the digest is not the first")
            return
        }
    }

    @Test("say once that a copy cannot be read")
    func unreadable() throws {
        try folder.add(.module())
        let copy = try folder.inspectCopy(Array("no module".utf8))
        #expect(
            problems(of: copy)
                == [.catalog(.binary(.notELF(start: Array("no modul".utf8))))])
    }

    @Test("leave lacking symbols to the dynamic linker, and explain its failure")
    func linker() throws {
        try folder.add(
            .module(.subject("other"), source: Binary.entry + Binary.defining("shared")),
            as: "other.so")
        try folder.add(.module(source: Binary.entry + Binary.calling("shared", and: "nobody")))
        let copy = try folder.inspectCopy()
        #expect(problems(of: copy) == [])
        let expected: [BinaryProblem] = [
            .usesModules([ForeignSymbol(symbol: "shared", module: "other")]),
            .lacksSymbols(["nobody"]),
        ]
        #expect(copy.explanation(of: .undefinedSymbol("nobody"))?.problems == expected)
        #expect(copy.explanation(of: .noEntryPoint) == nil)
        #expect(copy.explanation(of: .notLoadable("for another reason")) == nil)
        // Without loading, they are reported at once.
        let inspected = try folder.inspect()
        #expect(
            inspected.launchDiagnostics
                == BinaryError(inspected.entry, expected).diagnostics)
    }

    @Test(
        "go for later launches, unless other things than the bytes, the modules and the manifest decide",
        arguments: [
            ("", [], true), ("static " + Binary.threadVariable("small", of: 16), [], false),
            (BrokenModules.retroactive(flags: 0x48), [], false), ("", ["libfriend.so"], false),
        ] as [(String, [String], Bool)])
    func finding(source: String, libraries: [String], isFound: Bool) throws {
        let library = Binary(
            source: Binary.defining("friend"), options: ["-Wl,-soname,libfriend.so"])
        let files = try libraries.map { try folder.write(library.compiled(), to: $0) }
        let options = ["-Wl,--no-as-needed", "-Wl,-rpath,\(folder.path)"] + files
        try folder.add(.module(source: Binary.entry + source, options: options))
        let copy = try folder.inspectCopy()
        #expect(problems(of: copy) == [])
        #expect(copy.finding == (isFound ? "" : nil))
        // A link can take the place of a permitted file between two launches.
        for (paths, finding) in isFound ? [("", ""), (#""Plugins""#, nil)] : [] {
            let isolated = #""isolation": "process", "permissions": { "read": [\#(paths)] }"#
            let manifest = #"{ "manifest": 1, "modules": { "subject": { \#(isolated) } } }"#
            #expect(try folder.inspectCopy(manifest: manifest).finding == finding)
        }
    }

    @Test("know nothing more than the linker of a symbol that the host has")
    func unexplained() throws {
        try folder.add(.module())
        #expect(try folder.inspectCopy().explanation(of: .undefinedSymbol("malloc")) == nil)
    }

    @Test("are not asked of a module that the catalog refuses, or that is disabled")
    func notReady() throws {
        try folder.add(.module(source: "int eaves_register = 1;"))
        #expect(try folder.inspect().launchDiagnostics.count == 1)
        #expect(try folder.inspect { $0.isEnabled = false }.launchDiagnostics == [])
        let refused = try folder.inspect { $0.problem = .duplicateID(used: "a.so") }
        #expect(refused.launchDiagnostics == [])
    }
}
