// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import EndToEndSupport

@Suite("needs that are not met, and features that fail", .onOwnThreads)
struct NeedsTests {
    @Test("a feature that does not exist is not found")
    func unknownFeature() throws {
        try Workspace().eaves("launch", "usres").expectFailure(
            66,
            """
            error: no module offers a feature 'usres', did you mean 'users'?
            fix: see all features with 'eaves list'
            """)
        try Workspace().eaves("launch", "weather").expectFailure(
            66,
            """
            error: no module offers a feature 'weather'
            fix: see all features with 'eaves list'
            """)
    }

    @Test("all services that nobody provides are named, each with what may be meant")
    func several() throws {
        let workspace = try Workspace()
        try workspace.drop(
            try CFixtures.module("NeedsUnknownService"), as: "needs-unknown-service.so")
        try workspace.eaves("launch", "weather").expectFailure(
            69,
            """
            error: no module provides UserServise, did you mean 'UserService'? \
            (needed by needs-unknown-service)
            fix: add a module that provides it, and see 'eaves list'
            error: no module provides WeatherService (needed by needs-unknown-service)
            fix: add a module that provides it, and see 'eaves list'
            """)
        try workspace.expectOthersWork()
    }

    @Test("a place on the way that nobody provides ends the way there")
    func missingPlace() throws {
        let workspace = try Workspace(modules: ["login", "analytics", "users-memory"])
        let outcome = try workspace.eaves("launch", "login", "--name", "Alice")
        outcome.expectFailure(
            69,
            """
            error: no module provides HomeFactory
            fix: add a module that provides it, and see 'eaves list'
            """)
    }

    @Test("a binding to a module that is gone is an error that names it")
    func boundToNobody() throws {
        let workspace = try Workspace()
        try workspace.bind(["UserService": "users-v3"])
        try workspace.eaves("launch", "users").expectFailure(
            69,
            """
            error: UserService is bound to 'users-v3', which is not there (needed by users)
            fix: add the module, or bind another: 'eaves swap UserService MODULE'
            """)
        #expect(try workspace.eaves("swap", "UserService", "users-memory").code == 0)
        try workspace.expectOthersWork()
    }

    @Test("needs that go round in a circle are shown as they go, and nothing hangs")
    func circle() throws {
        let workspace = try Workspace()
        try workspace.drop(try SwiftFixtures.module("circular-needs"))
        try workspace.bind(["UserService": "circular-needs", "EventHandler": "circular-needs"])
        try workspace.eaves("launch", "circle").expectFailure(
            78,
            """
            error: UserService is needed to create itself
              needed by: feature 'circle' → UserService → EventHandler → UserService
            fix: break the circle: let one of them resolve later
            """)
        try workspace.bind(["UserService": "users-memory", "EventHandler": "circular-needs"])
        #expect(try workspace.eaves("launch", "circle").code == 0)
        try workspace.expectOthersWork()
    }

    @Test("a feature that throws has failed, and what it wrote before is there")
    func throwing() throws {
        let workspace = try Workspace()
        try workspace.drop(try SwiftFixtures.module("throws-at-launch"))
        try workspace.eaves("launch", "throw").expectFailure(
            70,
            """
            error: throws-at-launch: feature 'throw' failed: the printer is on fire \
            (Plugins/throws-at-launch.so)
            """, output: "so far so good\n")
        try workspace.eaves("launch", "throw-early").expectFailure(
            70,
            """
            error: throws-at-launch: feature 'throw-early' failed: there is no paper \
            (Plugins/throws-at-launch.so)
            """)
        try workspace.expectOthersWork()
    }

    @Test("a feature that two modules offer is an error that names both")
    func twoFeatures() throws {
        let workspace = try Workspace()
        try workspace.drop(CFixtures.hello.get(), as: "hello.so")
        let other = try CFixtures.module(
            "BrokenNote",
            macros: [
                "NOTE_TEXT":
                    #""{\"type\":\"eaves\",\"name\":\"other\",\"eaves\":{\"id\":\"other\","#
                    + #"\"version\":\"1\",\"layer\":\"feature\",\"abi\":1,"#
                    + #"\"features\":[{\"name\":\"hello-c\"}]}}""#
            ])
        try workspace.drop(other, as: "other.so")
        try workspace.eaves("launch", "hello-c").expectFailure(
            78,
            """
            error: feature 'hello-c' is offered by hello-c and other
            fix: keep one: 'eaves disable other'
            """)
        try workspace.expectOthersWork()
    }
}
