// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a module in plain C", .onOwnThreads)
struct CModuleTests {
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

    private func workspace() throws -> Workspace {
        let workspace = try Workspace()
        try workspace.drop(CFixtures.hello.get(), as: "anything.so")
        return workspace
    }
}
