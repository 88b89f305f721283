// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesELF

// The rules that the catalog applies while it scans: the file itself, its note, and its place in the
// manifest. Checked again here, each finds its own part of what is wrong.
extension InspectedModule {
    func checkFile() -> RuleOutcome {
        // For a module that was never built, this says more than a missing file.
        if let problem = entry.problem, problem.state == .missing {
            return .broken(.catalog(problem))
        }
        switch binary {
        case .success, .failure(.wrongClass), .failure(.wrongByteOrder), .failure(.wrongSystem):
            return .kept
        case .failure(let problem): return .broken(.catalog(.binary(problem)))
        }
    }

    func checkOwner() -> RuleOutcome {
        guard case .untrusted(let problem) = entry.problem else { return .kept }
        return .broken(.catalog(.untrusted(problem)))
    }

    func checkMachine() -> RuleOutcome {
        switch binary {
        case .success(let report) where report.machine != host.machine:
            .broken(.catalog(.incompatible(.machine(built: report.machine, host: host.machine))))
        case .success: .kept
        case .failure(let problem): .broken(.catalog(.binary(problem)))
        }
    }

    func checkNoteIsPresent() -> RuleOutcome {
        switch noteProblem {
        case .note(.absent), .note(.otherType): checkNote()
        default: .kept
        }
    }

    func checkNote() -> RuleOutcome {
        RuleOutcome(noteProblem.map { .catalog($0) })
    }

    /// The problem that every host would have with the file, however it was built.
    private var noteProblem: CatalogProblem? {
        let agreeing = HostProfile(
            abi: content.tag?.abi ?? host.abi,
            interface: content.tag?.interface ?? host.interface,
            compiler: content.tag?.compiler ?? host.compiler,
            machine: content.machine ?? host.machine)
        return content.problem(in: agreeing).map { CatalogProblem($0) }
    }

    func checkABI() -> RuleOutcome {
        guard let tag = content.tag else { return .skipped("its note does not say") }
        return compatibility(of: BuildTag(abi: tag.abi))
    }

    func checkInterfaceVersion() -> RuleOutcome {
        guard let interface = content.tag?.interface else {
            return .skipped("it uses the C ABI alone")
        }
        return compatibility(of: BuildTag(abi: host.abi, interface: interface))
    }

    func checkCompiler() -> RuleOutcome {
        guard let compiler = content.tag?.compiler else {
            return .skipped("it was not built with Swift")
        }
        return compatibility(of: BuildTag(abi: host.abi, compiler: compiler))
    }

    private func compatibility(of tag: BuildTag) -> RuleOutcome {
        RuleOutcome(host.compatibilityProblem(of: tag).map { .catalog(.incompatible($0)) })
    }

    func checkManifestEntry() -> RuleOutcome {
        guard manifest != nil else { return .skipped("there is no manifest") }
        switch entry.problem {
        case .otherID, .duplicateID, .declaration, .unknownModule:
            return RuleOutcome(entry.problem.map { .catalog($0) })
        default: return .kept
        }
    }

    func checkQuarantine() -> RuleOutcome {
        guard manifest != nil else { return .skipped("there is no manifest") }
        guard case .quarantined(let record) = entry.problem else { return .kept }
        return .broken(.catalog(.quarantined(record)))
    }
}
