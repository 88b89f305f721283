// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("eaves verify", .onOwnThreads)
struct VerifyTests {
    @Test("passes every module that is shipped, without a warning")
    func shipped() throws {
        let workspace = try Workspace()
        let modules = try workspace.verify(code: 0)
        #expect(
            modules.map(\.id) == [
                "analytics", "home", "login", "users", "users-memory", "users-v2",
            ])
        for module in modules {
            #expect(module.passed)
            #expect(module.ids("failed") + module.ids("warned") == [], "\(module)")
            let skipped = Set(module.ids("skipped"))
            // A check is skipped where there is nothing to check.
            #expect(
                skipped.isSubset(of: [
                    "digest", "signature", "version", "services-created", "services-dropped",
                    "features-help",
                ]))
        }
        #expect(
            try #require(modules.first { $0.id == "login" }).ids("skipped") == [
                "digest", "signature", "version",
            ])
        #expect(!workspace.folder.has(".eaves/quarantine"))
        #expect(!workspace.folder.has("events.jsonl"))
    }

    @Test("loads an interface module, and asks nothing of it that it does not have")
    func interface() throws {
        let module = try #require(try Workspace().verify("common", code: 0).first)
        #expect(module.ids("failed") + module.ids("warned") == [], "\(module)")
        #expect(try module.check("loads").result == "passed")
        #expect(
            try module.check("registers").message == "an interface module has no entry point")
    }

    @Test("runs the checks that a check presupposes, and reports on that check alone")
    func only() throws {
        let workspace = try Workspace()
        let module = try #require(
            try workspace.verify("--only", "declaration", "--only", "machine", "home", code: 0)
                .first)
        #expect(module.checks.map(\.id) == ["machine", "declaration"])
        try workspace.eaves("verify", "--only", "declarations").expectFailure(
            64,
            """
            error: there is no check 'declarations', did you mean 'declaration'?
            fix: see all checks with 'eaves verify --list-checks'
            """)
    }

    @Test("needs no manifest for a file, and quarantines no file that is not in the manifest")
    func file() throws {
        let workspace = try Workspace(modules: [])
        try workspace.drop(
            CFixtures.module("MisbehavesInC", macros: ["CONSTRUCTOR": "abort()"]), as: "bad.so")
        try FileManager.default.moveItem(
            at: workspace.plugins.appendingPathComponent("bad.so"),
            to: workspace.url.appendingPathComponent("bad.so"))
        let inside = try #require(try workspace.verify("./bad.so", code: 70).first)
        #expect(inside.ids("failed") == ["loads"])
        try FileManager.default.removeItem(
            at: workspace.url.appendingPathComponent("manifest.json"))
        let outside = try #require(try workspace.verify("bad.so", code: 70).first)
        #expect(outside.path == "bad.so")
        #expect(try outside.check("manifest-entry").message == "there is no manifest")
        #expect(try outside.check("loads").signalName == "SIGABRT")
        #expect(!workspace.folder.has(".eaves/quarantine"))
    }

    @Test(
        "creates services with the manifest's other modules, and skips the check where these are missing"
    )
    func needs() throws {
        let alone = try Workspace.bare(["login"])
        let module = try #require(try alone.verify(code: 0).first)
        let created = try module.check("services-created")
        #expect(created.result == "skipped")
        #expect(
            created.message?.hasPrefix("LoginFactory needs UserService, which is not available: ")
                == true)
        #expect(try module.check("features-help").result == "skipped")
        let together = try Workspace.bare(["login", "users-memory", "analytics"])
        let other = try #require(try together.verify("login", code: 0).first)
        #expect(try other.check("services-created").result == "passed")
        #expect(try other.check("services-dropped").result == "passed")
        #expect(try other.check("features-help").result == "passed")
    }

    @Test("blames no module for the crash of one that it needs")
    func crashOfAnother() throws {
        let workspace = try Workspace.bare(["login", "analytics"])
        try workspace.drop(SwiftFixtures.module("misbehaves"))
        try workspace.misbehave(["factory": "trap"])
        let module = try #require(try workspace.verify("login", code: 0).first)
        let created = try module.check("services-created")
        #expect(created.result == "skipped")
        #expect(created.signalName == "SIGILL" || created.signalName == "SIGTRAP")
        #expect(created.message?.hasSuffix(" of the module 'misbehaves'") == true, "\(created)")
        #expect(!workspace.folder.has(".eaves/quarantine"))
    }

    @Test("lists its checks, each once, as the documentation does")
    func listChecks() throws {
        let workspace = try Workspace(modules: [])
        let outcome = try workspace.eaves("verify", "--list-checks")
        #expect(outcome.code == 0)
        let listed = outcome.lines.dropFirst().map { line in
            let parts = line.split(separator: " ", maxSplits: 2)
            return "| `\(parts[0])` | \(parts[1]) | "
                + "\(parts[2].trimmingCharacters(in: .whitespaces)) |"
        }
        #expect(Set(listed).count == listed.count && listed.count > 25)
        let document = try String(
            contentsOf: Repository.file("Documentation/Commands/Verify.md"), encoding: .utf8)
        let documented = document.split(separator: "\n")
            .drop { $0 != "## The checks" }.prefix { $0 != "## JSON" }
            .filter { $0.hasPrefix("| `") }.map(String.init)
        #expect(documented == listed)
    }
}

@Suite("eaves verify --only", .onOwnThreads, .patiently)
struct VerifyOnlyTests {
    @Test("fails with the check that the named one needs, and quarantines as without it")
    func crash() throws {
        let workspace = try Workspace.inC(["CONSTRUCTOR": "abort()"])
        let module = try #require(try workspace.verify("--only", "features-help", code: 70).first)
        #expect(module.checks.map(\.id) == ["loads", "features-help"])
        #expect(module.checks.map(\.result) == ["failed", "skipped"])
        #expect(module.checks.last?.message == "'loads' did not pass")
        #expect(!module.passed)
        #expect(try workspace.list().module("misbehaves-in-c")?.state == "quarantined")
    }
}

@Suite("eaves verify, of services that the host keeps", .onOwnThreads, .patiently)
struct VerifyServicesTests {
    private func verify(_ manifest: String) throws -> VerifyOutcome.Module {
        let workspace = try Workspace(modules: [])
        try workspace.drop(SwiftFixtures.module("kept-services"))
        try workspace.manifest(manifest)
        return try #require(try workspace.verify(code: 0).first)
    }

    @Test("warns about none of them: the host releases its own references")
    func released() throws {
        let module = try verify(#"{"manifest": 1}"#)
        #expect(module.ids("warned") + module.ids("failed") == [], "\(module)")
        #expect(try module.check("services-dropped").result == "passed")
        #expect(try module.check("registers-twice").result == "passed")
    }

    @Test("warns about one that keeps itself alive, in the scope shared, too")
    func leak() throws {
        let module = try verify(
            #"{"manifest": 1, "modules": {"kept-services": {"settings": {"leak": "yes"}}}}"#)
        #expect(module.ids("warned") == ["services-dropped"])
        #expect(
            try module.check("services-dropped").message?.hasPrefix(
                "kept-services: UserService stays alive after the host released it") == true)
    }
}
