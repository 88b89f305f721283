// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesManifest
import EavesTestSupport
import Testing

@testable import EavesGraph

@Suite("the audit")
struct AuditTests {
    /// Compares kinds and messages.
    private func expect(
        _ audit: Audit, _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = audit.findings.map { "\($0.kind.rawValue): \($0.message)" }
        #expect(found == expected, sourceLocation: sourceLocation)
    }

    private let memory = Application.Module.module("memory", provides: ["UserService"])
    private let users = Application.Module.module(
        "users", .feature, requires: ["UserService"], features: ["list"])

    @Test("finds nothing where everything is used")
    func clean() throws {
        let audit = try Application([.common(["UserService"]), memory, users]).audit
        expect(audit, [])
        #expect(audit.alternatives == [] && audit.unreadModules == [])
    }

    @Test("tells of implementations that are not chosen, and does not call them dead")
    func alternatives() throws {
        let second = Application.Module.module("second", provides: ["UserService"])
        let audit = try Application(
            [.common(), memory, second, users],
            manifest: #"{ "manifest": 1, "bindings": { "UserService": "memory" } }"#
        ).audit
        expect(audit, [])
        #expect(
            audit.alternatives == ["second also provides UserService, which is bound to memory"])
    }

    @Test("takes a binding of a word that two services have for one of what its module provides")
    func sharedWord() throws {
        let east = Application.Module.module("east", provides: ["EastAPI.Log"])
        let west = Application.Module.module("west", provides: ["WestAPI.Log"])
        let page = Application.Module.module(
            "page", .feature, requires: ["EastAPI.Log", "WestAPI.Log"], features: ["page"])
        let application = try Application(
            [.common(), east, west, page],
            manifest: #"{ "manifest": 1, "bindings": { "Log": "east" } }"#)
        expect(application.audit, [])
    }

    @Test("knows that a name can be bound to a module that provides the service without a name")
    func namedBindings() throws {
        let second = Application.Module.module(
            "second", provides: ["UserService"], requires: ["Store"])
        let store = Application.Module.module("store", provides: ["Store"])
        let events = Application.Module.module(
            "events", .feature, provides: ["EventHandler"], features: ["events"],
            needs: [Symbol.thunk("EventHandler"), Symbol.descriptor("EventHandler")])
        let audit = try Application(
            [
                .common(["UserService", "EventHandler", "Store"]), memory, second, store, events,
                users,
            ],
            manifest: #"""
                { "manifest": 1, "bindings": { "UserService": "memory", "UserService#v1": "memory",
                  "UserService#v2": "second", "UserService#v3": "events" } }
                """#
        ).audit
        expect(
            audit,
            ["binding: UserService#v3 is bound to 'events', which does not provide it"])
        #expect(audit.alternatives == [])
    }

    @Test("finds modules that no feature reaches, also those that only such modules use")
    func modules() throws {
        let audit = try Application([
            .common(["UserService", "EventHandler", "Store"]), memory, users,
            .module("events", provides: ["EventHandler"], requires: ["Store"]),
            .module("store", provides: ["Store"]),
        ]).audit
        expect(
            audit,
            [
                "module: events offers no feature, and no feature leads to what it provides: EventHandler",
                "module: store offers no feature, and no feature leads to what it provides: Store",
            ])
    }

    @Test("does not judge modules where no module offers a feature: a program asks for services")
    func noFeatures() throws {
        expect(try Application([.common(), memory]).audit, [])
    }

    @Test("finds services that are never needed in modules that are used")
    func services() throws {
        let both = Application.Module.module("memory", provides: ["UserService", "EventHandler"])
        expect(
            try Application([.common(), both, users]).audit,
            ["service: memory provides EventHandler, and no module asks for it"])
        let asker = Application.Module.module(
            "late", .feature, features: ["late"], needs: [Symbol.thunk("EventHandler")])
        expect(try Application([.common(), both, users, asker]).audit, [])
        let own = Application.Module.module(
            "memory", provides: ["UserService", "EventHandler"],
            needs: [
                Symbol.descriptor("EventHandler"), Symbol.requirement("EventHandler"),
                Symbol.thunk("EventHandler"),
            ])
        expect(try Application([.common(), own, users]).audit, [])
    }

    @Test("takes each name of a service for needed that somebody asks for")
    func named() throws {
        var named = Application.Module.module("archive", provides: ["UserService"])
        named.declaration.provides[0].name = "archive"
        let audit = try Application([.common(), memory, named, users]).audit
        expect(audit, [])
    }

    @Test("finds needs that the code never refers to")
    func needs() throws {
        let users = Application.Module.module(
            "users", .feature, requires: ["UserService", "EventHandler"], features: ["list"],
            needs: [Symbol.descriptor("UserService")])
        let events = Application.Module.module("events", provides: ["EventHandler"])
        expect(
            try Application([.common(), memory, events, users]).audit,
            ["need: users requires EventHandler, and its code never refers to it"])
    }

    @Test("does not judge needs of modules in C, nor those behind a route")
    func needsBehind() throws {
        var inC = Application.Module.module(
            "in-c", .feature, requires: ["UserService"], features: ["list"], needs: [])
        inC.tag.compiler = nil
        expect(try Application([.common(), memory, inC]).audit, [])
        let opener = Application.Module.module(
            "login", .feature, requires: ["HomeFactory"], features: ["login"],
            needs: [Symbol.descriptor("HomeRoute")])
        let home = Application.Module.module("home", .feature, provides: ["HomeFactory"])
        let common = Application.Module.common(["HomeRoute", "HomeFactory"])
        expect(try Application([common, opener, home]).audit, [])
    }

    /// Symbols of a module's binary, those that the common interface's needs and whether the interface may ask for
    /// services while the module runs.
    private static let helpers: [(user: [String], common: [String], mayAsk: Bool)] = [
        // An extension of Resolver in the interface, and one that asks for nothing.
        ([extending], [resolving], true), ([extending], [], false),
        // A function that takes no resolver, of an interface whose code needs none, and one whose code does.
        ([plain], [injecting], true), ([plain], [resolving], false),
        ([], [injecting], false), ([], [resolving], false),
    ]
    private static let extending = "$s14EavesInterface8ResolverP06CommonB0E9userNamesSaySSGyYaKF"
    private static let plain = "$s15CommonInterface6HelperV5namesSaySSGyYaKF"
    private static let resolving =
        "$s14EavesInterface8ResolverPAAE7resolveyqd__qd__mAA15ResolutionErrorVYKs8SendableRd__lF"
    private static let injecting = "$s14EavesInterface8InjectedVMa"

    @Test(
        "calls nothing dead that an interface may ask for with what a module gives it",
        arguments: helpers)
    func needsOfHelpers(user: [String], common: [String], mayAsk: Bool) throws {
        let common = Application.Module.common(needs: common)
        let declared = Application.Module.module(
            "users", .feature, requires: ["UserService"], features: ["list"], needs: user)
        expect(
            try Application([common, memory, declared]).audit,
            mayAsk ? [] : ["need: users requires UserService, and its code never refers to it"])
        let asking = Application.Module.module("users", .feature, features: ["list"], needs: user)
        expect(
            try Application([common, memory, asking]).audit,
            mayAsk
                ? []
                : [
                    "module: memory offers no feature, and no feature leads to what it provides: UserService"
                ])
    }

    @Test("finds bindings to modules that are not there, are off, or provide something else")
    func bindings() throws {
        let application = try Application(
            [
                .common(["UserService", "A", "B"]), memory,
                .module("off", provides: ["B"]), users,
            ],
            manifest: """
                { "manifest": 1, "modules": { "off": { "enabled": false } },
                  "bindings": { "A": "gone", "UserService": "users", "B": "off" } }
                """)
        let bindings = application.audit.findings.filter { $0.kind == .binding }
        #expect(
            bindings.map(\.message) == [
                "A is bound to 'gone', and there is no such module",
                "UserService is bound to 'users', which does not provide it",
                "B is bound to 'off', which is switched off",
            ])
        #expect(
            bindings.allSatisfy {
                $0.place.hasSuffix("bindings.\($0.message.prefix { $0 != " " })")
            })
    }

    @Test("finds shares of a binding without effect")
    func weights() throws {
        let application = try Application(
            [
                .common(["UserService"]), memory, .module("second", provides: ["UserService"]),
                .module("off", provides: ["UserService"]), users,
            ],
            manifest: #"""
                {
                  "manifest": 1, "modules": { "off": { "enabled": false } },
                  "bindings": { "UserService": { "memory": 90, "second": 0, "off": 5, "gone": 5 } }
                }
                """#)
        let wiring = application.wiring
        expect(
            Audit(wiring),
            [
                "weight: UserService is bound to 'gone', and there is no such module",
                "weight: UserService is bound to 'off', which is switched off",
                "weight: UserService is bound to 'second', with the weight 0, so that it is never chosen",
            ])
        let bound = ModuleGraph(wiring).lines.filter { $0.hasPrefix("service") }
        #expect(
            bound == [
                "service CommonInterface.UserService -bound to, 5 of 100, missing-> module gone",
                "service CommonInterface.UserService -bound to, 90 of 100-> module memory",
                "service CommonInterface.UserService -bound to, 5 of 100, missing-> module off",
                "service CommonInterface.UserService -bound to, 0 of 100, unbound-> module second",
            ])
        // The one that callers never get is no choice, also if no other one can be used.
        #expect(wiring.choice(of: "CommonInterface.UserService").candidates == ["memory"])
    }

    @Test("finds routes that are never opened, and not the factory as well")
    func routes() throws {
        let home = Application.Module.module(
            "home", .feature, provides: ["HomeFactory"], features: ["home"])
        let common = Application.Module.common(["HomeRoute", "HomeFactory"])
        expect(
            try Application([common, home]).audit, ["route: no module opens the route HomeRoute"])
        let opener = Application.Module.module(
            "login", .feature, features: ["login"], needs: [Symbol.descriptor("HomeRoute")])
        expect(try Application([common, home, opener]).audit, [])
        let router = Application.Module.module(
            "router", .composition, provides: ["HomeRoute"], features: ["router"])
        let audit = try Application([common, home, router]).audit
        #expect(audit.findings.contains { $0.message == "no module opens the route HomeRoute" })
    }

    @Test("finds entries of the manifest that change nothing")
    func entries() throws {
        let application = try Application(
            [.common(), memory, users],
            manifest: """
                { "manifest": 1, "directories": ["Plugins", "Empty", "Nowhere"], "launch": "gone",
                  "modules": {
                    "memory": { "settings": { "path": "users.db" } }, "users": { "enabled": true },
                    "gone": { "enabled": false } } }
                """)
        try application.folder.createFolder("Empty")
        expect(
            application.audit,
            [
                "entry: the directory 'Empty' holds no module and no sources of one",
                "entry: the directory 'Nowhere' does not exist",
                "entry: no module that is switched on offers the feature 'gone'",
                "entry: 'memory' has settings, and its code never reads any",
                "entry: the entry is about 'gone', and there is no such module",
            ])
        let reads = Application.Module.module(
            "memory", provides: ["UserService"],
            needs: ["$s14EavesInterface8SettingsVMa", Symbol.requirement("UserService")])
        let other = try Application(
            [.common(), reads, users],
            manifest: #"{ "manifest": 1, "modules": { "memory": { "settings": { "a": 1 } } } }"#)
        expect(other.audit, [])
    }

    @Test("finds interface modules that are never named")
    func interfaces() throws {
        var other = Application.Module.common()
        other.declaration.id = "other"
        other.declaration.interface?.module = "OtherInterface"
        other.defines = []
        expect(
            try Application([.common(), other, memory, users]).audit,
            ["interface: no module names the interface 'other' in its 'interfaces'"])
        // An unused module that names it does not count as a use.
        var more = other
        more.declaration.id = "more"
        more.declaration.interface?.module = "MoreInterface"
        let stamp = InterfaceStamp(
            module: "OtherInterface", version: InterfaceVersion(major: 1, minor: 0))
        more.declaration.interfaces = [InterfaceNeed("other", built: stamp)]
        expect(
            try Application([.common(), other, more, memory, users]).audit,
            ["more", "other"].map {
                "interface: no module names the interface '\($0)' in its 'interfaces'"
            })
    }

    /// An application that never asks for events, with the sources of a module.
    private func application(
        _ modules: [Application.Module] = [.common()], adding source: String,
        _ files: [String: String] = [:]
    ) throws -> Application {
        let events = Application.Module.module("events", provides: ["EventHandler"])
        let files = files.merging(["Plugins/Late/module.json": source]) { $1 }
        return try Application(modules + [memory, users, events], files: files)
    }

    private static func late(_ members: String = "") -> String {
        #"{ "id": "late", "version": "1.0.0", "layer": "core"\#(members) }"#
    }

    @Test("judges nothing by what modules ask for if it cannot read the file of one of them")
    func unread() throws {
        let audit = try application(
            adding: Self.late(), ["Plugins/late.so": "half a module"]
        ).audit
        #expect(audit.unreadModules == ["late"] && audit.unbuiltModules == [])
        expect(audit, [])
    }

    @Test("judges what a module that is not built cannot ask for")
    func unbuilt() throws {
        let audit = try application(adding: Self.late()).audit
        #expect(audit.unreadModules == [] && audit.unbuiltModules == ["late"])
        let dead =
            "module: events offers no feature, and no feature leads to what it provides: EventHandler"
        expect(audit, [dead])
    }

    @Test(
        "takes for needed what a module that is not built declares, and what its interfaces have",
        arguments: [
            late(#", "requires": ["EventHandler"]"#), late(#", "interfaces": ["common"]"#),
        ])
    func neededByUnbuilt(source: String) throws {
        let audit = try application(adding: source).audit
        #expect(audit.unbuiltModules == ["late"])
        expect(audit, [])
        let routes = Application.Module.common([
            "UserService", "EventHandler", "HomeRoute", "HomeFactory",
        ])
        let isOpened = source.contains("interfaces")
        expect(
            try application([routes], adding: source).audit,
            isOpened ? [] : ["route: no module opens the route HomeRoute"])
    }

    @Test("takes for needed all that an interface module may declare that is not built")
    func unbuiltInterface() throws {
        let common = #"{ "id": "common", "version": "1.0.0", "layer": "interface" }"#
        let audit = try application([], adding: common).audit
        #expect(audit.unbuiltModules == ["common"])
        expect(audit, [])
    }

    @Test("takes for needed what the program's own code may ask for")
    func program() throws {
        let application = try Application([
            .common(), memory, users, .module("events", provides: ["EventHandler"]),
        ])
        let linked = ProgramInterface(
            id: "common", module: "CommonInterface", version: InterfaceVersion(major: 1, minor: 0))
        let program = WiredProgram(interfaces: [linked])
        let wiring = Wiring(application.catalog, of: application.manifest, in: program)
        #expect(Audit(wiring).findings.filter { $0.kind == .module } == [])
    }
}
