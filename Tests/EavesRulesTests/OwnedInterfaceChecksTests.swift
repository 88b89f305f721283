// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesLoader
import EavesTestSupport
import Testing
import EavesSystem

@testable import EavesRules

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
