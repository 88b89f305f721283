// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesHost
import EavesManifest
import EavesTestSupport
import Foundation
import Testing

@testable import EavesCLI
@testable import EavesOutput

/// The data that commands print, as JSON and for people. Modules are real files that are never
/// loaded; the end-to-end tests print the same about modules that run.
@Suite("reports")
struct ReportTests {
    private static let inspectKeys: Set = [
        "schema", "id", "path", "state", "problems", "version", "summary", "layer", "owner",
        "provides",
        "requires", "features", "interfaces", "swiftModule", "otherModules", "protocols", "abi",
        "interface",
        "compiler", "target", "machine", "size",
        "soname", "libraries", "takenSymbols", "undeclared", "interfaceSymbols", "uses", "source",
        "sha256",
        "bindings",
        "signature", "isolation",
    ]

    @Test("of inspect have the contract's members, for a module and for any other file")
    func inspect() throws {
        let workspace = try Workspace.ofWeather()
        let outcome = workspace.eaves("inspect", "--json", "sunny")
        #expect(outcome.code == 0, "\(outcome)")
        let module = try outcome.object()
        #expect(Set(module.keys) == Self.inspectKeys)
        #expect(module["state"] as? String == "ready")
        #expect(module["abi"] as? Int == 1)
        let provides = try #require((module["provides"] as? [[String: Any]])?.first)
        #expect(provides["service"] as? String == "Weather")
        #expect(provides["name"] is NSNull)
        #expect(module["signature"] is NSNull)
        let text = try workspace.write("text.so", "no module")
        let refused = workspace.eaves("inspect", "--json", text)
        #expect(refused.code == 65)
        let file = try refused.object()
        #expect(Set(file.keys) == Self.inspectKeys)
        #expect(file["state"] as? String == "invalid")
        #expect((file["problems"] as? [String])?.count == 1)
        #expect(file["version"] is NSNull)
        #expect(file["size"] as? Int == 9)
    }

    @Test("of inspect list what the module's libraries define, and this process, too")
    func takenSymbols() throws {
        let workspace = try Workspace()
        let library = try workspace.write(
            "libown.so",
            Data(
                CCompiler.first().compile(
                    "void getpid(void) {}", ["-shared", "-Wl,-soname,libown.so"])))
        let source = Binaries.source(note: Workspace.note("sunny"))
        let options = ["-shared", "-Wl,--no-as-needed", library, "-Wl,-rpath,\(workspace.path)"]
        let file = try workspace.write(
            "sunny.so", Data(CCompiler.first().compile(source, options)))
        let taken = try #require(
            try workspace.eaves("inspect", "--json", file).object()["takenSymbols"]
                as? [[String: String]])
        #expect(taken.map { $0["symbol"] } == ["getpid"])
        #expect(taken.map { $0["library"] } == ["libown.so"])
        let definer = try #require(taken.first?["definer"])
        #expect(
            workspace.eaves("inspect", file).lines.contains(
                "taken:     getpid of libown.so by \(definer)"))
    }

    @Test("of inspect show people what is known, and why the module would not be loaded")
    func inspectText() throws {
        let workspace = try Workspace.ofWeather()
        let module = workspace.eaves("inspect", "sunny")
        #expect(module.lines.first == "module:    sunny 1.0.0")
        #expect(module.lines.contains("provides:  Weather"))
        #expect(module.lines.contains("interface: none (C ABI alone)"))
        #expect(!module.output.contains("signature:"))
        // A pin that does not hold is found by looking at the bytes.
        #expect(workspace.eaves("pin", "sunny").code == 0)
        let manifest = try Manifest.load(workspace("manifest.json"))
        let sha256 = try #require(manifest.entry("sunny")?.sha256)
        #expect(
            workspace.eaves("inspect", "sunny").lines.contains("pinned:    to SHA-256 \(sha256)"))
        try workspace.addFile("Plugins/sunny.so", "sunny")
        let json = try workspace.eaves("inspect", "--json", "sunny").object()
        #expect(json["sha256"] as? String == sha256)
        let changed = workspace.eaves("inspect", "sunny")
        #expect(changed.lines.contains("state:     untrusted"))
        #expect(changed.errors.contains("error: sunny: expected SHA-256 "))
        #expect(changed.code == 77)
        try workspace.write("Plugins/sunny.so.sig", "nonsense")
        let signed = workspace.eaves("inspect", "sunny")
        #expect(signed.output.contains("signature: does not count: "))
    }

    @Test("of inspect need no manifest for a file, unless one is named")
    func inspectWithoutManifest() throws {
        let workspace = try Workspace(manifest: "nonsense")
        let file = try workspace.addFile("sunny.so", "sunny")
        #expect(TestCommand.run(["inspect", file]).output.hasPrefix("module:    sunny"))
        #expect(workspace.eaves("inspect", file).code == 65)
        #expect(workspace.eaves("inspect", file).output == "")
    }

    @Test("of validate have each problem with its kind and code, each message once")
    func validate() throws {
        let workspace = try Workspace.ofWeather()
        try workspace.addFile("Plugins/rainy.so", "rainy", provides: "Weather")
        try workspace.addFile("Plugins/wet.so", "wet", provides: "Weather")
        #expect(workspace.eaves("disable", "sunny").code == 0)
        let outcome = workspace.eaves("validate", "--json")
        let problems = try #require(try outcome.object()["problems"] as? [[String: Any]])
        #expect(problems.map { $0["kind"] as? String } == ["binding"])
        #expect(problems.allSatisfy { Set($0.keys) == ["kind", "message", "fix", "code"] })
        #expect(outcome.code == problems.first?["code"] as? Int32)
        #expect(outcome.errors.contains("error: "))
    }

    @Test("of validate say that there is nothing wrong")
    func valid() throws {
        let workspace = try Workspace()
        try workspace.addFile("Plugins/sunny.so", "sunny", provides: "Weather")
        #expect(workspace.eaves("validate").output == "no problems\n")
        #expect(workspace.eaves("validate").code == 0)
        let json = try workspace.eaves("validate", "--json").object()
        #expect((json["problems"] as? [Any])?.isEmpty == true)
    }

    @Test("of verify have a line for each check that is worth one, and the first failure's code")
    func verify() throws {
        let workspace = try Workspace()
        let text = try workspace.write("text.so", "no module")
        let outcome = workspace.eaves("verify", "--only", "elf-readable", "--only", "machine", text)
        #expect(outcome.code == 65)
        let lines = outcome.lines
        #expect(lines.first == "text (\(text)): 1 failed, 1 skipped")
        #expect(lines.dropFirst().first == "  failed   elf-readable")
        #expect(lines.contains { $0.hasPrefix("  skipped  machine  ") }, "\(outcome)")
        #expect(lines.last == "1 module, 1 failed: text")
        // All modules of the manifest: only what is not well.
        try workspace.write("Plugins/text.so", "no module")
        try workspace.addFile("Plugins/sunny.so", "sunny")
        let all = workspace.eaves("verify", "--only", "elf-readable", "--only", "machine")
        #expect(all.lines.contains("sunny 1.0.0 (Plugins/sunny.so): 2 passed"))
        #expect(!all.output.contains("skipped  machine"))
        #expect(all.lines.last == "2 modules, 1 failed: text")
        let well = workspace.eaves("verify", "--only", "machine", "sunny")
        #expect(well.lines.last == "1 module passed")
        #expect(well.code == 0)
        #expect(try Workspace().eaves("verify").output == "no modules\n")
    }

    @Test("of verify have the contract's members")
    func verifyJSON() throws {
        let workspace = try Workspace()
        let text = try workspace.write("text.so", "no module")
        let outcome = workspace.eaves("verify", "--json", "--only", "elf-readable", text)
        #expect(outcome.code == 65)
        let modules = try #require(try outcome.object()["modules"] as? [[String: Any]])
        let module = try #require(modules.first)
        #expect(Set(module.keys) == ["id", "path", "passed", "walled", "checks"])
        #expect(module["passed"] as? Bool == false)
        let checks = try #require(module["checks"] as? [[String: Any]])
        #expect(checks.map { $0["id"] as? String } == ["elf-readable"])
        #expect(checks.first?["result"] as? String == "failed")
        #expect(
            Set(checks.first?.keys.map { $0 } ?? []) == [
                "id", "meaning", "result", "message", "fix", "signal", "signalName", "frame",
                "backtrace", "output",
            ])
    }

    @Test("of verify show the first eight lines of what a module printed")
    func excerpt() {
        let lines = (1...8).map(String.init)
        #expect(VerifyReport.excerpt("printed:", []) == [])
        #expect(VerifyReport.excerpt("printed:", lines) == ["printed:"] + lines.map { "  " + $0 })
        #expect(
            VerifyReport.excerpt("printed:", lines + ["9", "10"])
                == ["printed:"] + lines.map { "  " + $0 } + ["  … (2 more)"])
    }

    @Test("of verify show the calls in a module and those that it made, each once in a row")
    func calls() {
        #expect(VerifyReport.calls([("abort", nil), ("main", nil)]) == [])
        #expect(VerifyReport.calls([("trap", "home"), ("main", nil)]) == [])
        #expect(
            VerifyReport.calls([
                ("abort", nil), ("trap", "home"), ("trap", "home"), ("sort", nil),
                ("trap", "home"), ("main", nil),
            ]) == ["abort", "trap", "sort", "trap"])
    }

    @Test("of verify take any time limit in the range", arguments: ["0.001", "1e1", "86400"])
    func timeout(text: String) {
        #expect(TestCommand.run(["verify", "--list-checks", "--timeout", text]).code == 0)
    }

    @Test("of verify lead to a quarantine only for files that the manifest knows")
    func known() throws {
        let workspace = try Workspace.ofWeather()
        let copy = try workspace.addFile("else/sunny.so", "sunny")
        func modules(_ operands: String...) throws -> VerifiedModules {
            try VerifiedModules(
                ParsedOptions(
                    values: ["manifest": [workspace("manifest.json")]], operands: operands),
                Terminal(console: TestConsole()))
        }
        #expect(try modules().entries.map(\.id) == ["home", "sunny", "users"])
        let named = try modules(copy, workspace("Plugins/sunny.so"), "sunny")
        #expect(named.entries.map(\.file).first == copy)
        #expect(named.entries.map(named.isKnown) == [false, true, true])
        #expect(named.entries.map(\.path).dropFirst() == ["Plugins/sunny.so", "Plugins/sunny.so"])
    }

    @Test("of verify list all checks")
    func checks() throws {
        let table = TestCommand.run(["verify", "--list-checks"]).lines
        let json = try TestCommand.run(["verify", "--list-checks", "--json"]).object()
        let checks = try #require(json["checks"] as? [[String: String]])
        #expect(checks.first?["id"] == "elf-readable")
        #expect(table.count == checks.count + 1)
        #expect(table.first?.hasPrefix("CHECK ") == true)
    }

    private func quarantine(_ workspace: Workspace, sha256: String) throws {
        try workspace.write(
            ".eaves/quarantine/modules.json",
            """
            {"schema": 1, "files": [], "records": [
              {"module": "sunny", "path": "Plugins/sunny.so", "sha256": "\(sha256)",
               "since": 1800000000, "reason": "crashed with SIGSEGV", "crashes": []},
              {"module": "users", "path": "Plugins/users.so", "sha256": "00", "since": null,
               "reason": null, "crashes": [{"time": 1800000001, "process": 7, "signal": 11}]}
            ]}
            """)
    }

    @Test("of the quarantine tell apart who is kept out, counted, and replaced")
    func quarantine() throws {
        let workspace = try Workspace.ofWeather()
        #expect(workspace.eaves("quarantine").output == "no module has crashed\n")
        #expect(
            workspace.eaves("quarantine", "clear", "--all").errors
                == "no crash of any module is recorded\n")
        #expect(workspace.eaves("pin", "sunny").code == 0)
        let manifest = try Manifest.load(workspace("manifest.json"))
        let sha256 = try #require(manifest.entry("sunny")?.sha256)
        try quarantine(workspace, sha256: sha256)
        let rows = workspace.eaves("quarantine").lines
        #expect(rows.first?.hasPrefix("MODULE  STATE ") == true)
        #expect(rows.contains { $0.hasPrefix("sunny   quarantined  2027-01-15 08:00:00 UTC") })
        #expect(rows.contains { $0.hasPrefix("users   counted      -  ") })
        #expect(rows.contains { $0.contains("crashed 1 of 3 times") })
        let json = try workspace.eaves("quarantine", "--json").object()
        let modules = try #require(json["modules"] as? [[String: Any]])
        #expect(
            modules.allSatisfy {
                Set($0.keys) == [
                    "id", "path", "sha256", "quarantined", "since", "reason", "crashes",
                ]
            })
        #expect(modules.map { $0["quarantined"] as? Bool } == [true, false])
        let crashes = try #require(modules.last?["crashes"] as? [[String: Any]])
        #expect(crashes.first?["signalName"] as? String == "SIGSEGV")

        // Another content took the place of the one that crashed.
        try quarantine(workspace, sha256: String(repeating: "0", count: 64))
        #expect(workspace.eaves("quarantine").output.contains("sunny   replaced "))

        #expect(
            workspace.eaves("quarantine", "clear", "sunny", "home").errors
                == "cleared sunny\nno crash of home is recorded\n")
        #expect(
            workspace.eaves("quarantine", "clear", "--all").errors
                == "cleared users, which crashed once\n")
    }

    @Test("of a damaged quarantine say so, and nothing else")
    func damagedQuarantine() throws {
        let workspace = try Workspace.ofWeather()
        try workspace.write(".eaves/quarantine/modules.json", "nonsense")
        let outcome = workspace.eaves("quarantine")
        // Not even that no module has crashed: that is not known.
        #expect(outcome.output == "")
        #expect(outcome.code == 65)
        #expect(outcome.errors.contains("expected the quarantine that eaves wrote"))
    }
}
