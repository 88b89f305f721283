// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesELF
import EavesLoader
import EavesManifest
import EavesSystem
package import EavesTrust

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

// The manifest's demands of the bytes.
extension InspectedModule {
    func checkDigest() -> RuleOutcome {
        guard let pinned = entry.sha256 else { return .skipped("the manifest pins no digest") }
        do throws(SystemError) {
            let digest =
                if let held { held.digest } else { try SHA256.digest(of: OpenFile(reading: file)) }
            let found = digest.hex
            return found == pinned ? .kept : .broken(.digest(expected: pinned, found: found))
        } catch {
            let isOriginal = error.path == entry.loadedFile
            return .broken(isOriginal ? .catalog(.binary(.unreadable(error))) : .unreadable(error))
        }
    }

    /// Needs OpenSSH's `ssh-keygen`, and runs it.
    func checkSignature() -> RuleOutcome {
        guard let manifest, manifest.signatures == .required else {
            return .skipped("the manifest requires no signature")
        }
        do throws(SignatureError) {
            let signature = entry.loadedFile + SignatureCheck.suffix
            _ = try SignatureCheck(manifest.signerLists)
                .signer(of: file, by: signature, for: entry.id)
            return .kept
        } catch {
            return .broken(.signature(error))
        }
    }

    /// An old signature stays valid, so the version of a signed module counts, too.
    func checkVersion() -> RuleOutcome {
        guard let manifest else { return .skipped("no manifest asks for a version") }
        let listed = manifest.entry(entry.id)
        guard listed?.leastVersion != nil || manifest.signatures == .required else {
            return .skipped("the manifest asks for no version")
        }
        do throws(VersionError) {
            let found = try version()
            if let least = listed?.leastVersion, found.isOlder(than: least) {
                throw .tooOld(found: found, least: least)
            }
            // A pin says that these very bytes are meant, and this host has run its last good file before.
            guard manifest.signatures == .required, entry.sha256 == nil, entry.standIn == nil else {
                return .kept
            }
            if let newest = try manifest.acceptedVersions.newest(of: entry.id),
                found.isOlder(than: newest)
            {
                throw .replaced(module: entry.id, found: found, newest: newest)
            }
            return .kept
        } catch {
            return .broken(.version(error))
        }
    }

    /// Remembers the version of a signed module that was loaded, so that an older one does not take its
    /// place unnoticed.
    package func rememberVersion() throws(VersionError) {
        guard let manifest, manifest.signatures == .required else { return }
        try manifest.acceptedVersions.accept(version(), of: entry.id)
    }

    /// The version in the bytes that are checked: the catalog may have read an earlier file.
    private func version() throws(VersionError) -> ModuleVersion {
        guard let declaration = ModuleContent(file).note?.declaration, declaration.id == entry.id
        else { throw .unknown(module: entry.id) }
        return ModuleVersion(declaration.version)
    }
}
