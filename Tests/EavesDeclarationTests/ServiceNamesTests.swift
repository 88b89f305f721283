// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import Testing

@Suite("names of services")
struct ServiceNamesTests {
    @Test("mean the qualified one, if there is only one")
    func canonical() {
        let names = ServiceNames(["UserService", "CommonInterface.UserService", "A.Log", "B.Log"])
        #expect(names.canonical("UserService") == "CommonInterface.UserService")
        #expect(names.canonical("Log") == "Log")
        #expect(names.canonical("Other") == "Other")
        let declared = ServiceNames(["UserService"], protocols: ["A.UserService", "B.Unused"])
        #expect(declared.canonical("UserService") == "A.UserService")
        #expect(declared.shown("A.UserService") == "UserService")
    }

    @Test("are shown as people write them, and qualified where two interfaces have the same")
    func shown() {
        let names = ServiceNames(["UserService", "CommonInterface.UserService", "A.Log", "B.Log"])
        #expect(names.shown("CommonInterface.UserService") == "UserService")
        #expect(names.shown("A.Log") == "A.Log")
    }

    @Test("tell which services a name can mean")
    func meanings() {
        let names = ServiceNames(["Log", "A.Log", "B.Log", "UserService", "A.UserService", "Clock"])
        #expect(names.sharedWords == ["Log"])
        #expect(names.meanings(of: "Log") == ["A.Log", "B.Log"])
        #expect(names.meanings(of: "A.Log") == ["A.Log"])
        #expect(names.meanings(of: "UserService") == ["A.UserService"])
        #expect(names.meanings(of: "Clock") == ["Clock"])
        #expect(names.meanings(of: "Other") == [])
    }
}
