// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesELF
import EavesLoader
import EavesManifest
import EavesSystem
package import EavesTrust

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
            _ = try SignatureCheck(manifest.signerLists).signer(of: file, by: signature)
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
            let newest: ModuleVersion?
            do throws(AcceptedVersionsError) {
                newest = try manifest.acceptedVersions.newest(of: entry.id)
            } catch {
                throw .accepted(error)
            }
            if let newest, found.isOlder(than: newest) {
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
        let found = try version()
        do throws(AcceptedVersionsError) {
            try manifest.acceptedVersions.accept(found, of: entry.id)
        } catch {
            throw .accepted(error)
        }
    }

    /// The version in the bytes that are checked: the catalog may have read an earlier file.
    private func version() throws(VersionError) -> ModuleVersion {
        guard let declaration = ModuleContent(file).note?.declaration, declaration.id == entry.id
        else { throw .unknown(module: entry.id) }
        return ModuleVersion(declaration.version)
    }
}
