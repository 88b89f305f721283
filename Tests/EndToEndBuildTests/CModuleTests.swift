// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a module in plain C", .onOwnThreads)
struct CModuleTests {
    @Test("is listed with its feature")
    func listed() throws {
        let list = try workspace().list()
        let feature = ModuleList.Feature(
            name: "hello-c", summary: "Greet from C", module: "hello-c", state: "ready")
        #expect(list.features.contains(feature))
        #expect(list.module("hello-c")?.version == "1.2.0")
    }

    @Test("gets its arguments, writes standard output, and hands on its exit code")
    func launched() throws {
        let outcome = try workspace().eaves("launch", "hello-c", "Wörld", "", "--exit", "7")
        #expect(
            outcome.output == """
                state 42, 4 arguments, argv ends with NULL
                Hello, Wörld!
                Hello, !

                """)
        #expect(outcome.errors == "leaving with 7\n")
        #expect(outcome.code == 7)
    }

    @Test(
        "gets the bytes of its arguments, and the digits of its settings",
        arguments: ["", "--isolate hello-c"])
    func unchanged(options: String) throws {
        let workspace = try workspace()
        let settings =
            #"{"id":18446744073709551615,"list":[-0,1.0,{"pi":3.14159265358979323846}]}"#
        try workspace.manifest(
            #"{"manifest": 1, "modules": {"hello-c": {"settings": \#(settings)}}}"#)
        let outcome = try Eaves.shell(
            "'\(Eaves.executable.path)' launch \(options) hello-c --settings "
                + #""$(printf 'caf\351')" | cat -v"#, in: workspace.url)
        #expect(outcome.output.hasSuffix("\n\(settings)\nHello, cafM-i!\n"), "\(outcome)")
        #expect(outcome.errors == "")
    }

    @Test("reads standard input")
    func input() throws {
        let outcome = try workspace().eaves("launch", "hello-c", "-", input: "line\n")
        #expect(outcome.output.hasSuffix("Hello, line\n"))
        #expect(outcome.code == 0)
    }

    @Test("logs to the host, which shows it with -v")
    func log() throws {
        let workspace = try workspace()
        #expect(try workspace.eaves("launch", "hello-c").errors == "")
        let outcome = try workspace.eaves("launch", "-v", "hello-c")
        #expect(outcome.errors.hasPrefix("hello-c: info: registering from C\nloaded 1: hello-c "))
    }

    @Test("needs no name on the command line that a shell could not give")
    func endsOfOptions() throws {
        let outcome = try workspace().eaves("launch", "hello-c", "--", "-v", "--help")
        #expect(outcome.output.hasSuffix("Hello, --!\nHello, -v!\nHello, --help!\n"))
    }

    @Test(
        "that refuses is shown with its message, and takes nothing with it",
        arguments: [
            (
                "RefusesWithMessage", "refuses-with-message", "reluctant",
                "refused to register: the licence has run out", "correct what the module reports"
            ),
            (
                "RefusesSilently", "refuses-silently", "silent",
                "refused to register, with code -7 and no message", "ask its author"
            ),
            (
                "FailsButReturnsZero", "fails-but-returns-zero", "undecided",
                "refused to register: cannot make up my mind", "correct what the module reports"
            ),
        ])
    func refusal(
        fixture: String, id: String, feature: String, message: String, advice: String
    ) throws {
        let workspace = try Workspace()
        try workspace.drop(CFixtures.module(fixture), as: "bad.so")
        try workspace.eaves("launch", feature).expectFailure(
            65,
            """
            error: \(id): \(message) (Plugins/bad.so)
            fix: \(advice), or switch the module off with 'eaves disable \(id)'
            """)
        try workspace.expectOthersWork()
        #expect(try workspace.eaves("disable", id).code == 0)
        #expect(try workspace.eaves("launch", feature).code == 66)
    }

    @Test("that refuses gets what it registered destroyed, once")
    func destroyed() throws {
        let workspace = try Workspace()
        try workspace.drop(CFixtures.module("DestroysFeature"), as: "bad.so")
        try workspace.eaves("launch", "mortal").expectFailure(
            65,
            """
            destroyed 5
            error: destroys-feature: refused to register: no more (Plugins/bad.so)
            fix: correct what the module reports, or switch the module off with 'eaves disable destroys-feature'
            """)
    }

    @Test("that does not register what it declares is refused")
    func nothing() throws {
        let workspace = try Workspace()
        try workspace.drop(CFixtures.module("RegistersNothing"), as: "bad.so")
        try workspace.eaves("launch", "promised").expectFailure(
            65,
            """
            error: registers-nothing: declares what it does not register: feature 'promised' \
            (Plugins/bad.so)
            fix: make module.json and what the module registers agree, and rebuild it
            """)
    }

    @Test(
        "that registers what cannot be is refused, though it does not look at the answer",
        arguments: [
            (
                #"8, "bad", 0, launch, 0"#,
                "eaves_feature.size: expected at least 40, found 8"
            ),
            ("sizeof feature, 0, 0, launch, 0", "eaves_feature: name is NULL"),
            (#"sizeof feature, "bad", 0, 0, 0"#, "eaves_feature: launch is NULL"),
        ])
    func badFeature(fields: String, message: String) throws {
        let workspace = try Workspace()
        let module = try CFixtures.module("RegistersBadFeature", macros: ["FEATURE_FIELDS": fields])
        try workspace.drop(module, as: "bad.so")
        try workspace.eaves("launch", "bad").expectFailure(
            65,
            """
            error: registers-bad-feature: refused to register: \(message) (Plugins/bad.so)
            fix: correct what the module reports, or switch the module off with \
            'eaves disable registers-bad-feature'
            """)
        try workspace.expectOthersWork()
    }

    @Test("that registers under another name than it declares is refused")
    func otherName() throws {
        let workspace = try Workspace()
        let module = try CFixtures.module(
            "RegistersBadFeature",
            macros: ["FEATURE_FIELDS": #"sizeof feature, "worse", 0, launch, 0"#])
        try workspace.drop(module, as: "bad.so")
        let outcome = try workspace.eaves("launch", "bad")
        #expect(
            outcome.errors.hasPrefix(
                """
                error: registers-bad-feature: registers what it does not declare: feature 'worse'; \
                declares what it does not register: feature 'bad' (Plugins/bad.so)
                """))
        #expect(outcome.code == 65)
    }

    @Test("whose exit code is none ends with 255", arguments: ["beyond", "below"])
    func strangeExitCode(feature: String) throws {
        let workspace = try Workspace()
        try workspace.drop(CFixtures.module("StrangeExitCodes"), as: "strange.so")
        let outcome = try workspace.eaves("launch", feature)
        #expect(outcome.code == 255)
        #expect(outcome.errors == "")
    }

    private func workspace() throws -> Workspace {
        let workspace = try Workspace()
        try workspace.drop(CFixtures.hello.get(), as: "anything.so")
        return workspace
    }
}
