// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesDiagnostics
import EavesGraph
import EavesHost
import EavesJSON
import EavesManifest
import EavesModules
import EavesOutput

extension Subcommand {
    static let audit = Subcommand(
        name: "audit",
        summary: "find what is dead: services, needs, bindings, modules, routes",
        options: [.json, .strict, .manifest],
        discussion: """
            Finds services that are never needed, needs that are never resolved, bindings and weights
            without effect, modules that no feature reaches, routes that are never opened, entries of the
            manifest that change nothing, and interface modules that are never named. It reads declarations,
            the manifest and the symbols of the modules' files; no module's code runs, and none is built.
            """,
        run: .synchronous { try $0.audit() })
}

extension OptionSpec {
    fileprivate static let strict = OptionSpec("strict", help: "exit with 1 if something is dead")
}

extension SubcommandCall {
    fileprivate func audit() throws -> Int32 {
        let report = AuditReport(audit: Audit(try Wiring(of: options.manifest())))
        try print(report.json, or: report.text, isPaged: true)
        if !options.has(.json) { try terminal.console.flush() }
        let isStrict = options.has(.strict)
        if let warning = report.unbuilt { terminal.warn(warning) }
        if let warning = report.unread {
            // A gate that could not look has not been passed.
            if isStrict, report.isClean { throw CommandError.invalid([warning]) }
            terminal.warn(warning)
        }
        return isStrict && !report.isClean ? 1 : 0
    }
}

extension Wiring {
    init(of manifest: Manifest) throws {
        let host = try Host(manifest: manifest, sources: .files)
        self.init(
            host.knownModules, of: manifest,
            in: WiredProgram(interfaces: HostProfile.current.interfaces) { host.isOwn($0) })
    }
}

struct AuditReport {
    let audit: Audit

    var isClean: Bool { audit.findings.isEmpty }

    var json: JSON {
        [
            "schema": 1,
            "findings": .array(audit.findings.map(\.json)),
            "alternatives": .texts(audit.alternatives),
            "unread": .texts(audit.unreadModules),
            "unbuilt": .texts(audit.unbuiltModules),
        ]
    }

    /// The findings under a heading for each kind, then what is worth knowing and not dead.
    var text: String {
        var blocks = AuditFinding.Kind.allCases.compactMap { kind -> String? in
            let findings = audit.findings.filter { $0.kind == kind }
            guard !findings.isEmpty else { return nil }
            let lines = findings.map {
                "  \($0.message.escapedLine) (\($0.place.escapedLine))\n"
                    + "    fix: \($0.fix.escapedLine)\n"
            }
            return kind.heading + ":\n" + lines.joined()
        }
        if blocks.isEmpty {
            let isWhole = audit.unreadModules.isEmpty && audit.unbuiltModules.isEmpty
            blocks.append("nothing is dead\(isWhole ? "" : " in what could be looked at")\n")
        }
        if !audit.alternatives.isEmpty {
            blocks.append(
                "not dead, and not chosen at present:\n"
                    + audit.alternatives.map { "  \($0.escapedLine)\n" }.joined())
        }
        return blocks.joined(separator: "\n")
    }

    var unbuilt: Diagnostic? {
        let ids = audit.unbuiltModules
        guard !ids.isEmpty else { return nil }
        return Diagnostic(
            "the audit did not look at modules that are not built: \(ids.abridged(by: ", ")); all that "
                + "they may ask for counts as needed",
            fix: "run 'eaves build', which builds them or says what they lack", code: .badData)
    }

    var unread: Diagnostic? {
        let ids = audit.unreadModules
        guard !ids.isEmpty else { return nil }
        return Diagnostic(
            "\(ids.abridged(by: ", ")): the needs are unknown without a file that can be read; services, "
                + "modules and routes were not looked at",
            fix: "run 'eaves build', or see with 'eaves list' what is wrong", code: .badData)
    }
}
