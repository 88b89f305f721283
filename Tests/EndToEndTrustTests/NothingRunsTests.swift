// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// Every refusal, of a module whose code leaves a file behind as soon as any of it runs.
@Suite("a module that is refused before it is loaded", .onOwnThreads)
struct NothingRunsTests {
    /// What is wrong with the module, and how that is said.
    struct Fault: CustomTestStringConvertible, Sendable {
        let name: String
        var macros: [String: String] = [:]
        /// Bytes of the file to change.
        var patches: [Int: UInt8] = [:]
        var manifest: String?
        let code: Int32
        let message: String
        var testDescription: String { name }
    }

    static let faults = [
        Fault(
            name: "another machine", patches: [18: 200], code: 76,
            message: "built for machine 200, this host is "),
        Fault(
            name: "another digest",
            manifest: #"""
                {"manifest": 1, "modules": {"leaves-trace": {"sha256":
                "0000000000000000000000000000000000000000000000000000000000000000"}}}
                """#, code: 77, message: "expected SHA-256 0000000"),
        Fault(
            name: "no entry point", macros: ["NO_ENTRY": "1"], code: 65,
            message: "expected an exported function 'eaves_register', found none"),
        Fault(
            name: "several symbols of nobody",
            macros: ["CALLS": "function_of_nobody", "CALLS_TOO": "another_of_nobody"], code: 76,
            message: "needs 'another_of_nobody', 'function_of_nobody', which neither this host"),
    ]

    @Test("has run nothing of its code", arguments: faults)
    func refused(_ fault: Fault) throws {
        let workspace = try Workspace()
        let built = try CFixtures.module("LeavesTrace", macros: fault.macros)
        var bytes = try Data(contentsOf: built)
        for (offset, byte) in fault.patches { bytes[offset] = byte }
        try workspace.drop(bytes, as: "bad.so")
        if let manifest = fault.manifest { try workspace.manifest(manifest) }
        let launched = try workspace.eaves("launch", "traced")
        let inspected = try workspace.eaves("inspect", "Plugins/bad.so")
        _ = try workspace.eaves("list")
        let byID = try workspace.eaves("inspect", "leaves-trace")
        for outcome in [launched, byID] {
            #expect(outcome.errors.contains("error: leaves-trace: \(fault.message)"), "\(outcome)")
            #expect(outcome.errors.contains("(Plugins/bad.so)\nfix: "), "\(outcome)")
            outcome.expectNoCrash()
        }
        #expect(launched.code == fault.code && byID.code == fault.code)
        inspected.expectNoCrash()
        #expect(!workspace.folder.has("code-ran"))
        if fault.manifest == nil { try workspace.expectOthersWork() }
    }

    @Test("would have been seen, had it run")
    func accepted() throws {
        let workspace = try Workspace()
        try workspace.drop(try CFixtures.module("LeavesTrace"), as: "good.so")
        #expect(try workspace.eaves("inspect", "leaves-trace").code == 0)
        #expect(!workspace.folder.has("code-ran"))
        let outcome = try workspace.eaves("launch", "traced")
        #expect(outcome.code == 0, "\(outcome)")
        #expect(workspace.folder.has("code-ran"))
    }

    @Test("may be of a compiler that the manifest allows; then it runs")
    func allowedCompiler() throws {
        let workspace = try Workspace()
        let tag = #""\"abi\":1,\"compiler\":\"5.9.2\"""#
        try workspace.drop(try CFixtures.module("LeavesTrace", macros: ["TAG": tag]), as: "old.so")
        let refused = try workspace.eaves("launch", "traced")
        #expect(
            refused.errors.hasSuffix(
                #", or allow its compiler in the manifest: "compilers": ["5.9"]\#n"#))
        try workspace.manifest(#"{"manifest": 1, "compilers": ["5.9"]}"#)
        #expect(try workspace.list().module("leaves-trace")?.state == "ready")
        #expect(try workspace.eaves("inspect", "Plugins/old.so").code == 0)
        #expect(try workspace.eaves("launch", "traced").code == 0)
    }
}
