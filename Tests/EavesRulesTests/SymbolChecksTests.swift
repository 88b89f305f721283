// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
@testable import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesInterface
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesRules

@Suite("the rules about symbols")
struct SymbolChecksTests {
    private let folder: TemporaryFolder
    private static let featureProtocol = BrokenModules.featureProtocol
    private static let unknownProtocol = BrokenModules.unknownProtocol

    init() throws {
        folder = try TemporaryFolder()
        // Keeps the interface in this process.
        #expect("\((any Feature).self)" == "Feature")
    }

    private func outcome(of id: String, source: String) throws -> RuleOutcome {
        try folder.add(.module(source: Binary.entry + source))
        return try folder.inspect().outcome(id)
    }

    @Test(
        "a conformance is told that the next build, or another module, meets in the process",
        arguments: [
            (0x48, 0x8, "none", true, []),
            (0x48, 0x48, "none", true, ["other"]),
            (0x48, 0x48, "other", true, []),
            (0x48, 0x48, "subject", false, []),
            // In the module of the type or of the protocol; made by the compiler, in the same way in each file.
            (0x8, 0x48, "none", false, []),
            (0xc8, 0x48, "none", false, []),
        ] as [(Int, Int, String, Bool, [String])])
    func processWide(
        flags: Int, other: Int, isolated: String, told: Bool, others: [String]
    ) throws {
        try folder.add(.module(source: Binary.entry + BrokenModules.retroactive(flags: flags)))
        try folder.add(
            .module(
                .subject("other"), source: Binary.entry + BrokenModules.retroactive(flags: other)),
            as: "other.so")
        let module = try folder.inspect(
            manifest: """
                { "manifest": 1, "modules": { "\(isolated)": { "isolation": "process" } } }
                """)
        let conformance = ProcessWideDefinition.conformance(
            of: "$s4Base6PersonVMn", to: "$s4Base4DeepMp")
        #expect(
            try module.outcome("process-wide")
                == (told ? .broken(.processWide([conformance], besides: others)) : .kept))
        let words = module.warnings.map(\.1.message)
        #expect(words.count == (told ? 1 : 0))
        #expect(words.allSatisfy { $0.contains("'Base.Person: Base.Deep'") })
    }

    @Test("a copy of the interface is told by symbols that the host has as well")
    func copy() throws {
        let own = Binary.defining("$s14EavesInterface6MyTypeMp")
        #expect(try outcome(of: "interface-not-carried", source: own) == .kept)
        let both = own + Binary.defining(Self.featureProtocol)
        #expect(
            try outcome(of: "interface-not-carried", source: both)
                == .broken(.carriesInterface("EavesInterface", [Self.featureProtocol])))
    }

    @Test("of the interface's symbols only those that the host lacks are named")
    func interfaceSymbols() throws {
        let both = Binary.calling(Self.featureProtocol, and: Self.unknownProtocol)
        #expect(
            try outcome(of: "interface-symbols", source: both)
                == .broken(.lacksInterfaceSymbols(nil, [Self.unknownProtocol])))
        #expect(
            try folder.inspect().interfaceSymbols.map { Set($0.symbols) }
                == [[Self.featureProtocol, Self.unknownProtocol]])
        // They have a rule of their own.
        #expect(try folder.inspect().outcome("symbols") == .kept)
    }

    @Test("a symbol that is weak, or that the process has, is not lacking")
    func known() throws {
        let weak = """
            extern void function_of_nobody(void) __attribute__((weak));
            void f(void) { if (function_of_nobody) function_of_nobody(); }
            """
        #expect(try outcome(of: "symbols", source: weak) == .kept)
        #expect(try outcome(of: "symbols", source: Binary.calling("malloc")) == .kept)
        #expect(
            try outcome(of: "symbols", source: Binary.calling("nobody", and: "malloc"))
                == .broken(.lacksSymbols(["nobody"])))
    }

    @Test("a symbol of a library that would be loaded is not lacking")
    func ofLibrary() throws {
        let library = try folder.write(
            Binary(source: Binary.defining("helpful"), options: ["-Wl,-soname,libhelp.so"])
                .compiled(), to: "libhelp.so")
        let rpath = "-Wl,-rpath,\(folder.path)"
        try folder.add(
            .module(
                source: Binary.entry + Binary.calling("helpful", and: "useless"),
                options: [library, rpath]))
        #expect(try folder.inspect().outcome("symbols") == .broken(.lacksSymbols(["useless"])))
        // Now it may be in the library that is missing.
        try Files.remove(library)
        #expect(try folder.inspect().outcome("symbols") == .kept)
    }

    @Test("a symbol of another module is named with its owner, and is not also said to be lacking")
    func ofModule() throws {
        try folder.add(
            .module(.subject("other"), source: Binary.entry + Binary.defining("shared")),
            as: "other.so")
        let source = Binary.calling("shared", and: "nobody")
        #expect(
            try outcome(of: "module-symbols", source: source)
                == .broken(.usesModules([ForeignSymbol(symbol: "shared", module: "other")])))
        #expect(try folder.inspect().outcome("symbols") == .broken(.lacksSymbols(["nobody"])))
    }

    @Test("a Swift name belongs to the module whose id is the same word")
    func ofSwiftModule() throws {
        try folder.add(.module(.subject("log-in")), as: "other.so")
        let symbol = "$s5LogIn5greetyyF"
        #expect(
            try outcome(of: "module-symbols", source: Binary.calling(symbol))
                == .broken(.usesModules([ForeignSymbol(symbol: symbol, module: "log-in")])))
        // A longer name that begins alike is of another module.
        #expect(
            try outcome(of: "module-symbols", source: Binary.calling("$s6LogIn25greetyyF"))
                == .kept)
    }
}

@Suite("the rules about services of other modules")
struct LayerChecksTests {
    private let folder: TemporaryFolder
    private static let usesUserService =
        Binary.entry + Binary.calling("$s14EavesInterface11UserServiceMp")

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("a core module may use what a core module provides, and what nobody does")
    func core() throws {
        try folder.add(.module(.subject(layer: .core), source: Self.usesUserService))
        #expect(try folder.inspect().outcome("layer") == .kept)
        try folder.add(.module(.subject("upper", provides: ["UserService"])), as: "upper.so")
        let need = UpwardNeed(service: "UserService", providers: ["upper"])
        #expect(
            try folder.inspect().outcome("layer")
                == .broken(.usesUpperLayers([need], interfaces: [])))
        try folder.add(
            .module(.subject("lower", layer: .core, provides: ["UserService"])), as: "lower.so")
        #expect(try folder.inspect().outcome("layer") == .kept)
    }

    @Test(
        "a core module that declares what only features provide is told so in the catalog's words")
    func declared() throws {
        try folder.add(.module(.subject("upper", provides: ["UserService"])), as: "upper.so")
        try folder.add(.module(.subject(layer: .core, requires: ["UserService"])))
        let need = UpwardNeed(service: "UserService", providers: ["upper"])
        #expect(try folder.inspect().outcome("layer") == .broken(.catalog(.layer([need]))))
    }

    @Test("a module that requires a service of the host cannot run in a process of its own")
    func hostService() throws {
        try folder.add(.module(.subject(requires: ["EavesInterface.Routing"])))
        let outcome = try folder.inspect(
            manifest: #"{"manifest": 1, "modules": {"subject": {"isolation": "process"}}}"#
        ).outcome("isolation")
        let obstacle = IsolationObstacle.hostService("EavesInterface.Routing")
        #expect(outcome == .broken(.cannotIsolate([obstacle])))
        #expect(obstacle.words == "it requires Routing, which only the host's process has")
    }

    @Test(
        "a module cannot have permissions to change what decides about its rights",
        arguments: [
            (".", "manifest.json"), ("manifest.json", "manifest.json"), ("pinned.so", "pinned.so"),
            ("Plugins", "Plugins"), ("Plugins/inside", "Plugins"), (".eaves", ".eaves"),
            ("allowed_signers", "allowed_signers"), ("alias", "manifest.json"), ("data", nil),
        ])
    func cage(written: String, file: String?) throws {
        for name in ["Plugins/inside/a", ".eaves/a", "data/a", "pinned.so", "allowed_signers"] {
            try folder.write("", to: name)
        }
        try #require(symlink(".", folder.file("alias")) == 0)
        try folder.add(.module())
        let outcome = try folder.inspect(
            manifest: """
                {"manifest": 1, "modules": {
                    "pinned": {"library": "pinned.so"},
                    "subject": {"isolation": "process", "permissions": {"write": ["\(written)"]}}
                }}
                """
        ).outcome("isolation")
        var found: IsolationObstacle?
        // A link that leads to a folder around it is told before.
        if case .broken(.cannotIsolate(let obstacles)) = outcome { found = obstacles.last }
        let place = Path.absolute(written, from: folder.path)
        #expect(found == file.map { .cage(place, of: folder.file($0)) })
    }

    @Test("a feature may use what features provide")
    func feature() throws {
        try folder.add(.module(.subject("upper", provides: ["UserService"])), as: "upper.so")
        try folder.add(.module(source: Self.usesUserService))
        #expect(try folder.inspect().outcome("layer") == .kept)
    }

    @Test("a service counts as undeclared if another module provides it and no key names it")
    func undeclared() throws {
        try folder.add(.module(source: Self.usesUserService))
        #expect(try folder.inspect().undeclaredServices == [])
        try folder.add(.module(.subject("other", provides: ["UserService"])), as: "other.so")
        #expect(try folder.inspect().undeclaredServices == ["UserService"])
        #expect(
            try folder.inspect().outcome("declared-needs")
                == .broken(.undeclaredServices(["UserService"])))
        #expect(try folder.inspect().warnings.map(\.0) == ["declared-needs"])
        // Its protocol may inherit the other one.
        try folder.addWeather(source: Binary.calling("$s14EavesInterface11UserServiceMp"))
        #expect(try folder.inspect("weather-api.so").undeclaredServices == [])
        for declaration in [
            ModuleDeclaration.subject(requires: ["UserService"]),
            .subject(provides: ["UserService"]),
        ] {
            try folder.add(.module(declaration, source: Self.usesUserService))
            #expect(try folder.inspect().undeclaredServices == [])
        }
    }

    @Test("only a protocol of the interface is a service")
    func services() throws {
        try folder.add(.module(.subject("other", provides: ["UserService"])), as: "other.so")
        // A nominal type descriptor, and a protocol of another module.
        let source = Binary.calling(
            "$s14EavesInterface11UserServiceMn", and: "$s5Other11UserServiceMp")
        try folder.add(.module(source: Binary.entry + source))
        #expect(try folder.inspect().undeclaredServices == [])
    }
}
