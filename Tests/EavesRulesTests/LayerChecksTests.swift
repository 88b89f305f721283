// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesTestSupport
import Testing

@testable import EavesRules

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
