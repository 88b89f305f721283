// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
@testable import EavesDeclaration
import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesRules

@Suite("The rules about interface modules")
struct InterfaceChecksTests {
    private static let descriptor = "$s10WeatherAPI0A7ServiceMp"
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func outcome(
        of rule: String, _ declaration: ModuleDeclaration = .subject(interfaces: [.weather]),
        source: String = Binary.entry
    ) throws -> RuleOutcome {
        try folder.add(.module(declaration, source: source))
        return try folder.inspect().outcome(rule)
    }

    @Test(
        "take a later minor version, and neither an earlier one nor another major one",
        arguments: [
            ("1.1.0", nil),
            ("1.7", nil),
            (
                "1.0.0",
                "subject: it was built against version 1.1 of the interface 'weather-api', and "
                    + "Plugins/weather-api.so has 1.0 (Plugins/subject.so)"
            ),
            (
                "2.1.0",
                "subject: it was built against version 1.1 of the interface 'weather-api', and "
                    + "Plugins/weather-api.so has 2.1 (Plugins/subject.so)"
            ),
        ] as [(String, String?)])
    func versions(version: String, message: String?) throws {
        try folder.addWeather(version: version)
        guard case .broken(.catalog(.interfaces(let problems))) = try outcome(of: "interfaces")
        else {
            #expect(message == nil)
            return
        }
        #expect(
            problems.flatMap { $0.diagnostics(of: try! folder.inspect().entry) }.map(\.message)
                == [message])
        #expect(message != nil)
    }

    @Test("name an interface that is nowhere, with near matches")
    func missing() throws {
        try folder.addWeather()
        var need = InterfaceNeed.weather
        need.id = "weather-ap"
        guard
            case .broken(.catalog(.interfaces(let problems))) = try outcome(
                of: "interfaces", .subject(interfaces: [need]))
        else {
            Issue.record("the rule was kept")
            return
        }
        #expect(problems == [.missing("weather-ap", known: ["weather-api"])])
        #expect(
            problems[0].diagnostics(of: try folder.inspect().entry) == [
                Diagnostic(
                    "subject: it is compiled against the interface 'weather-ap', and there is none, "
                        + "did you mean 'weather-api'? (Plugins/subject.so)",
                    fix:
                        "put 'weather-ap.so' into a directory of modules, or use a program that has "
                        + "it linked in",
                    code: .noProvider)
            ])
    }

    @Test("refuse a module in the place of an interface")
    func noInterface() throws {
        try folder.add(.module(.subject("weather-api")), as: "weather-api.so")
        guard case .broken(.catalog(.interfaces(let problems))) = try outcome(of: "interfaces"),
            case .noInterface(let entry)? = problems.first
        else {
            Issue.record("the rule was kept")
            return
        }
        #expect(entry.id == "weather-api")
    }

    @Test("find a copy of an interface, whose file has the same symbols")
    func carried() throws {
        try folder.addWeather()
        #expect(try outcome(of: "interface-not-carried") == .kept)
        #expect(
            try outcome(
                of: "interface-not-carried", source: Binary.entry + Binary.defining(Self.descriptor)
            )
                == .broken(.carriesInterface("WeatherAPI", [Self.descriptor])))
    }

    @Test("refuse a copy of what a package brings, and miss no symbol that it has")
    func otherModules() throws {
        let (type, function) = ("$s7Formats7DegreesVMn", "offset_of_kelvin")
        try folder.add(
            .module(
                ModuleDeclaration(
                    id: "formats", version: "1.0.0", layer: .interface,
                    interface: InterfaceContent(
                        module: "Shared", protocols: [], otherModules: ["Formats"])),
                source: Binary.defining(type) + Binary.defining(function)), as: "formats.so")
        let need = InterfaceNeed(
            "formats",
            built: InterfaceStamp(
                module: "Shared", version: InterfaceVersion(major: 1, minor: 0),
                otherModules: ["Formats"]))
        func module(_ source: String) throws -> InspectedModule {
            try folder.add(.module(.subject(interfaces: [need]), source: Binary.entry + source))
            return try folder.inspect()
        }
        #expect(
            try module(Binary.defining(type)).outcome("interface-not-carried")
                == .broken(.carriesInterface("Formats", [type])))
        let user = try module(Binary.calling(type, and: function))
        for rule in ["interface-not-carried", "interface-symbols", "interfaces", "symbols"] {
            #expect(try user.outcome(rule) == .kept, "\(rule)")
        }
        #expect(user.interfaceSymbols.map(\.symbols) == [[], [type]])
        let gone = "$s7Formats5PointVMn"
        #expect(
            try module(Binary.calling(gone)).outcome("interface-symbols")
                == .broken(.lacksInterfaceSymbols("formats", [gone])))
    }

    @Test("let a module add functions to an interface's types")
    func extended() throws {
        try folder.addWeather()
        let own = "$s10WeatherAPI0A7ServiceP7SubjectE4rainyyF"
        #expect(
            try outcome(
                of: "interface-not-carried", source: Binary.entry + Binary.defining(own)) == .kept)
    }

    @Test("name the symbols that an interface does not have")
    func lacking() throws {
        try folder.addWeather()
        let later = "$s10WeatherAPI0A7ServiceP4rainyyFTq"
        let source = Binary.entry + Binary.calling(Self.descriptor, and: later)
        #expect(
            try outcome(of: "interface-symbols", source: source)
                == .broken(.lacksInterfaceSymbols("weather-api", [later])))
        #expect(
            try folder.inspect().launchDiagnostics.first?.message.hasPrefix(
                "subject: needs symbols that the interface 'weather-api' does not have: ") == true)
    }

    @Test("find an interface that a module uses and does not name")
    func unnamed() throws {
        try folder.addWeather()
        let source = Binary.entry + Binary.calling(Self.descriptor)
        #expect(
            try outcome(of: "named-interfaces", .subject(), source: source)
                == .broken(.unnamedInterfaces(["weather-api"])))
        #expect(try outcome(of: "named-interfaces", source: source) == .kept)
    }

    @Test("know which protocols an interface has")
    func services() throws {
        try folder.addWeather()
        let declared = ModuleDeclaration.subject(
            provides: ["WeatherAPI.WeatherService"],
            requires: ["EavesInterface.Routing", "OtherAPI.Clock", "WeatherAPI.RainService"],
            interfaces: [.weather])
        #expect(
            try outcome(of: "interface-services", declared)
                == .broken(.foreignServices(["OtherAPI.Clock", "WeatherAPI.RainService"])))
    }

    @Test("want no entry point in an interface module")
    func entryPoint() throws {
        try folder.addWeather()
        #expect(try folder.inspect("weather-api.so").outcome("entry-point") == .kept)
        try folder.addWeather(source: Binary.entry)
        #expect(
            try folder.inspect("weather-api.so").outcome("entry-point")
                == .broken(.interfaceWithEntryPoint))
    }
}

@Suite("The rules about interfaces that a module owns")
struct OwnedInterfaceChecksTests {
    private static let descriptor = "$s10WeatherAPI0A7ServiceMp"
    private static let foreign = ForeignOwner(id: "weather", layer: .feature)
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.add(.module(.subject("weather", interfaces: [.weather])), as: "weather.so")
        try addInterface(owner: "weather")
    }

    private func addInterface(owner: String?, defining symbol: String? = nil) throws {
        var declaration = ModuleDeclaration(
            id: "weather-api", version: "1.1.0", layer: .interface, owner: owner,
            interface: InterfaceContent(module: "WeatherAPI", protocols: ["WeatherService"]))
        declaration.summary = "The weather"
        try folder.add(
            .module(
                declaration,
                source: ([Self.descriptor] + [symbol].compactMap(\.self))
                    .map(Binary.defining).joined()), as: "weather-api.so")
    }

    @Test("refuse one that a module names and must not name, as a matter of layers")
    func named() throws {
        try folder.add(.module(.subject(interfaces: [.weather])))
        let subject = try folder.inspect()
        #expect(
            try subject.outcome("layer")
                == .broken(.catalog(.interfaces([.owned("weather-api", Self.foreign)]))))
        #expect(try subject.outcome("interfaces") == .kept)
        let owner = try folder.inspect("weather.so")
        #expect(try owner.outcome("layer") == .kept)
    }

    @Test("are asked at each launch of a core module that uses what others provide")
    func cores() throws {
        try addInterface(owner: nil)
        for (layer, provides, isKnown) in [
            (Layer.core, [], false), (.core, ["WeatherService"], true), (.feature, [], true),
        ] {
            let declaration = ModuleDeclaration.subject(
                layer: layer, provides: provides, interfaces: [.weather])
            let source = Binary.entry + Binary.calling(Self.descriptor)
            try folder.add(.module(declaration, source: source))
            #expect(try folder.inspect().finding == (isKnown ? "" : nil))
        }
    }

    @Test("refuse one that a module hides, and do not advise to name it")
    func hidden() throws {
        let source = Binary.entry + Binary.calling(Self.descriptor)
        try folder.add(.module(source: source))
        let subject = try folder.inspect()
        let hidden = [UnnamedInterface(id: "weather-api", owner: Self.foreign)]
        #expect(
            try subject.outcome("layer") == .broken(.usesUpperLayers([], interfaces: hidden)))
        #expect(try subject.outcome("named-interfaces") == .kept)
        let found = subject.launchDiagnostics.filter { $0.message.contains("weather-api") }
        #expect(
            found.map(\.message) == [
                "subject: uses the interface 'weather-api', which belongs to the feature 'weather': only "
                    + "'weather' and modules of the layer 'composition' may use it "
                    + "(Plugins/subject.so)"
            ])
        #expect(found.allSatisfy { $0.fix?.contains("interfaces") == false })
        // A composition may name it, and has to.
        try folder.add(.module(.subject(layer: .composition), source: source))
        let composition = try folder.inspect()
        #expect(try composition.outcome("layer") == .kept)
        #expect(
            try composition.outcome("named-interfaces")
                == .broken(.unnamedInterfaces(["weather-api"])))
    }

    @Test("see also the members that an interface adds to the types of others")
    func extended() throws {
        for symbol in [
            "$sSS10WeatherAPIE4rainyyF", "$s14EavesInterface6LaunchV10WeatherAPIE4rainyyF",
            "$sSa10WeatherAPISiRszlE4rainyyF",
        ] {
            try folder.add(.module(source: Binary.entry + Binary.calling(symbol)))
            let hidden = [UnnamedInterface(id: "weather-api", owner: Self.foreign)]
            #expect(
                try folder.inspect().outcome("layer")
                    == .broken(.usesUpperLayers([], interfaces: hidden)), "\(symbol)")
        }
        try addInterface(owner: nil)
        #expect(try folder.inspect().outcome("layer") == .kept)
        #expect(
            try folder.inspect().outcome("named-interfaces")
                == .broken(.unnamedInterfaces(["weather-api"])))
    }

    @Test("let a module use the members that an interface which it names adds, if they are there")
    func extendedByNamed() throws {
        let symbol = "$sSS10WeatherAPIE4rainyyF"
        try addInterface(owner: nil, defining: symbol)
        try folder.add(
            .module(
                .subject(interfaces: [.weather]), source: Binary.entry + Binary.calling(symbol)))
        #expect(try folder.inspect().launchDiagnostics == [])
        try addInterface(owner: nil)
        #expect(try folder.inspect().outcome("symbols") == .broken(.lacksSymbols([symbol])))
    }

    @Test(
        "read the module of an extension from a symbol",
        arguments: [
            ("$sSS14LoginInterfaceE5greetyyF", "LoginInterface"),
            ("$sSa14LoginInterfaceSiRszlE5greetyyF", "LoginInterface"),
            ("$s15CommonInterface6ScreenP14LoginInterfaceE4drawyyF", "LoginInterface"),
            ("$s7Utility5ColorV0A9InterfaceE4drawyyF", "UtilityInterface"),
            ("$s15CommonInterface11UserServiceMp", nil),
            ("$s15CommonInterface0A5EventVMa", nil),
            ("$sSTsE3mapySayqd__Gqd__7ElementQzKXEKlF", nil),
            ("$s14EavesInterface9RegistrarP06CommonB0E8registeryyF", "CommonInterface"),
            ("$s14EavesInterface9RegistrarPAAE15registerFeatureyyF", nil),
            ("$s1A0", nil), ("$s1A0_", nil), ("$s1A0B", nil), ("$s1A0B9", nil), ("$s1A05", nil),
            ("$sSSSEsWP", nil), ("$sSEMp", nil),
            ("$sSS6appendyySSF", nil), ("$s99Short", nil), ("$s", nil), ("main", nil),
        ] as [(String, String?)])
    func extensions(symbol: String, module: String?) {
        let found = SwiftSymbols.extendingModule(
            of: symbol, demangle: { SymbolName.demangled($0) })
        #expect(found == module)
    }

    @Test("report services and interfaces of upper layers together")
    func together() throws {
        try folder.add(.module(.subject("upper", provides: ["UserService"])), as: "upper.so")
        let source =
            Binary.entry
            + Binary.calling(Self.descriptor, and: "$s14EavesInterface11UserServiceMp")
        try folder.add(.module(.subject(layer: .core), source: source))
        #expect(
            try folder.inspect().outcome("layer")
                == .broken(
                    .usesUpperLayers(
                        [UpwardNeed(service: "UserService", providers: ["upper"])],
                        interfaces: [UnnamedInterface(id: "weather-api", owner: Self.foreign)])))
        #expect(
            try folder.inspect().launchDiagnostics.filter { $0.message.contains("layer") }.count
                == 2)
    }

    @Test("let a core module use a protocol that it owns, whoever implements it")
    func inversion() throws {
        try addInterface(owner: "subject")
        try folder.add(
            .module(
                .subject(
                    "root", layer: .composition, provides: ["WeatherAPI.WeatherService"],
                    interfaces: [.weather])), as: "root.so")
        let source = Binary.entry + Binary.calling(Self.descriptor)
        try folder.add(.module(.subject(layer: .core, interfaces: [.weather]), source: source))
        #expect(try folder.inspect().outcome("layer") == .kept)
        try addInterface(owner: nil)
        #expect(
            try folder.inspect().outcome("layer")
                == .broken(
                    .usesUpperLayers(
                        [UpwardNeed(service: "WeatherService", providers: ["root"])],
                        interfaces: [])))
    }
}
