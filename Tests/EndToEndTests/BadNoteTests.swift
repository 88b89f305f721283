// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a bad note", .onOwnThreads)
struct BadNoteTests {
    @Test(
        "is told with what is wrong in it; nothing of the module runs",
        arguments: [
            ("", ["its note is not JSON: 1:1: expected a value, found the end of the text"]),
            (
                #"{"type":"deb","name":"coreutils"}"#,
                [
                    "no Eaves module: its package note is of type 'deb', expected 'eaves'"
                ]
            ),
            (
                #"{"type":"eaves","name":"x","eaves":{"id":"Bad Id","layer":"top","abi":1}}"#,
                [
                    "its note is wrong: eaves.id: expected",
                    "its note is wrong: eaves: the key 'version' is missing",
                    "its note is wrong: eaves.layer: expected 'interface', 'core', 'feature' or 'composition', "
                        + "found 'top'",
                ]
            ),
        ])
    func broken(text: String, problems: [String]) throws {
        let workspace = try Workspace()
        let quoted = text.replacingOccurrences(of: "\"", with: "\\\"")
        let module = try CFixtures.module("BrokenNote", macros: ["NOTE_TEXT": "\"\(quoted)\""])
        try workspace.drop(module, as: "bad.so")
        let inspected = try workspace.eaves("inspect", "bad")
        for problem in problems {
            #expect(inspected.errors.contains("error: bad: \(problem)"), "\(inspected)")
        }
        #expect(inspected.errors.contains("(Plugins/bad.so)\nfix: build it again with "))
        #expect(!inspected.errors.contains("code of a module ran"))
        #expect(inspected.code == 65)
        #expect(try workspace.list().module("bad")?.state == "invalid")
        try workspace.expectOthersWork()
    }

    @Test(
        "of a module for another host is told with both sides",
        arguments: [
            (#""abi":2"#, "built for ABI version 2, this host has 1"),
            (#""abi":1,"compiler":"5.9.2""#, "built with Swift 5.9.2, this host with Swift "),
        ])
    func misfit(tag: String, message: String) throws {
        let workspace = try Workspace()
        let quoted = tag.replacingOccurrences(of: "\"", with: "\\\"")
        let module = try CFixtures.module(
            "BuiltForAnotherHost", macros: ["NOTE_TAG": "\"\(quoted)\""])
        try workspace.drop(module, as: "foreign.so")
        let outcome = try workspace.eaves("launch", "foreign")
        #expect(
            outcome.errors.hasPrefix("error: built-for-another-host: \(message)"), "\(outcome)")
        #expect(outcome.errors.contains("(Plugins/foreign.so)\nfix: build it again with "))
        #expect(outcome.code == 76)
        #expect(
            try workspace.list().module("built-for-another-host")?.state == "incompatible")
        try workspace.expectOthersWork()
    }
}
