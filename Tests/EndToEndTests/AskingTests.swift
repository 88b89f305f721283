// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import EndToEndSupport

@Suite("Ways for modules to ask each other", .onOwnThreads)
struct AskingTests {
    private func workspace(_ fixtures: String...) throws -> Workspace {
        let workspace = try Workspace()
        for id in fixtures { try workspace.drop(try SwiftFixtures.module(id)) }
        return workspace
    }

    @Test("who asks for all gets those of every module, bound or not, by the modules' ids")
    func all() throws {
        let workspace = try workspace("asks-all")
        for bound in ["users-memory", "users-v2"] {
            try workspace.bind(["UserService": bound])
            let outcome = try workspace.eaves("launch", "ask-all")
            #expect(outcome.output == "Alice Bob\nCharlie\n")
            #expect(outcome.code == 0)
        }
        // Those who ask for one are told to choose; those who ask for all need no choice.
        try workspace.manifest(#"{"manifest": 1}"#)
        #expect(try workspace.eaves("launch", "ask-all").output == "Alice Bob\nCharlie\n")
        #expect(try workspace.eaves("launch", "inject").code == 78)
    }

    @Test("who asks with a runtime argument that the provider does not take is told what there is")
    func withArgument() throws {
        let workspace = try workspace("asks-twice")
        try workspace.bind(["UserService": "users-memory"])
        let outcome = try workspace.eaves("launch", "ask-with-argument")
        #expect(outcome.code == 69, "\(outcome)")
        #expect(outcome.output == "")
        #expect(outcome.errors.contains("UserService(String)"), "\(outcome)")
        #expect(outcome.errors.contains("users-memory"), "\(outcome)")
    }

    @Test("who asks for all is not given what is switched off, nor what is not there")
    func switchedOff() throws {
        let workspace = try workspace("asks-all")
        try workspace.bind(["UserService": "users-memory"])
        #expect(try workspace.eaves("disable", "users-v2").code == 0)
        #expect(try workspace.eaves("launch", "ask-all").output == "Alice Bob\n")
        let alone = try Workspace(modules: [])
        try alone.drop(try SwiftFixtures.module("asks-all"))
        let outcome = try alone.eaves("launch", "ask-all")
        #expect(outcome.output == "")
        #expect(outcome.code == 0)
    }

    @Test("who asks for all is told of a module that cannot be loaded, by its name")
    func allWithFault() throws {
        let workspace = try workspace("asks-all", "throws-while-registering")
        try workspace.bind(["UserService": "users-memory"])
        try workspace.eaves("launch", "ask-all").expectFailure(
            65,
            """
            error: throws-while-registering: refused to register: the database is locked \
            (Plugins/throws-while-registering.so)
            fix: correct what the module reports, or switch the module off with \
            'eaves disable throws-while-registering'
            """)
        #expect(try workspace.eaves("launch", "inject").output == "Alice Bob\n")
    }

    @Test("a property of a module's object is injected, from the module that is bound")
    func injected() throws {
        let workspace = try workspace("asks-all")
        try workspace.bind(["UserService": "users-v2"])
        let outcome = try workspace.eaves("launch", "-v", "inject")
        #expect(outcome.output == "Charlie\n")
        #expect(outcome.errors.contains("loaded 3: users-v2"))
        #expect(!outcome.errors.contains("loaded 4"))
    }

    @Test("a property that cannot be injected fails the feature, and says what is missing")
    func notInjected() throws {
        let workspace = try Workspace(modules: [])
        try workspace.manifest(#"{"manifest": 1}"#)
        try workspace.drop(try SwiftFixtures.module("asks-all"))
        try workspace.eaves("launch", "inject").expectFailure(
            69,
            """
            error: no module provides UserService
            fix: add a module that provides it, and see 'eaves list'
            """)
    }

    @Test("a provider and a lazy service load a module when they are used, and not before")
    func later() throws {
        let workspace = try workspace("asks-all")
        try workspace.bind(["UserService": "users-memory"])
        let outcome = try workspace.eaves("launch", "-v", "ask-later")
        #expect(outcome.output == "nothing is loaded yet\nAlice Bob\n")
        #expect(outcome.errors.contains("loaded 3: users-memory"))
        #expect(outcome.errors.contains("loaded 4: analytics"))
        #expect(outcome.code == 0)
    }

    @Test("two modules whose objects need each other are both made, and complete")
    func circle() throws {
        let workspace = try workspace("half-users", "half-events")
        try workspace.bind(["UserService": "half-users", "EventHandler": "half-events"])
        let outcome = try workspace.eaves("launch", "whole")
        #expect(
            outcome.output == """
                the users have events: true
                the events have users: ["Half"]

                """)
        #expect(outcome.code == 0)
        #expect(outcome.errors == "")
    }

    @Test(
        "a module's object that answers two services is one, decorated, also if only one is bound")
    func forwarded() throws {
        let workspace = try workspace("forwards")
        try workspace.bind(["UserService": "forwards", "EventHandler": "forwards"])
        let bound = try workspace.eaves("launch", "tell")
        #expect(bound.output == "TELL AGAIN\nAlice Bob\nCharlie\n")
        #expect(bound.code == 0)
        try workspace.bind(["UserService": "users-memory", "EventHandler": "forwards"])
        #expect(try workspace.eaves("launch", "tell").output == bound.output)
    }
}
