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

@Suite("The name of a service")
struct ServiceNameTests {
    @Test(
        "means every service of that name, unless it is qualified",
        arguments: [
            ("UserService", "UserService", true),
            ("UserService", "CommonInterface.UserService", true),
            ("CommonInterface.UserService", "UserService", true),
            ("CommonInterface.UserService", "OtherAPI.UserService", false),
            ("Service", "CommonInterface.UserService", false),
            ("Outer.Wind", "WeatherAPI.Outer.Wind", true),
            ("Wind", "WeatherAPI.Outer.Wind", true),
            ("A.Wind", "WeatherAPI.Outer.Wind", false),
            ("", "UserService", false),
        ])
    func agreement(left: String, right: String, isSame: Bool) {
        #expect(ServiceName.agree(left, right) == isSame)
        #expect(ServiceName.agree(right, left) == isSame)
    }

    @Test("is shown to people without the Swift module")
    func words() {
        #expect(ServiceName.word("CommonInterface.UserService") == "UserService")
        #expect(ServiceName.word("UserService") == "UserService")
        #expect(ServiceName.module("CommonInterface.UserService") == "CommonInterface")
        #expect(ServiceName.module("UserService") == nil)
        #expect("\(Capability.service("A.B", name: "n"))" == "B named 'n'")
    }
}
