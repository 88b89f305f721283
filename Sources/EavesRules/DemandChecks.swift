// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesELF
import EavesManifest
import EavesSystem
import EavesTrust

// The manifest's demands of the bytes.
extension InspectedModule {
    func checkDigest() -> RuleOutcome {
        guard let pinned = entry.sha256 else { return .skipped("the manifest pins no digest") }
        do throws(SystemError) {
            let found = try SHA256.digest(of: OpenFile(reading: file)).hex
            return found == pinned ? .kept : .broken(.digest(expected: pinned, found: found))
        } catch {
            let isOriginal = error.path == entry.file
            return .broken(isOriginal ? .catalog(.binary(.unreadable(error))) : .unreadable(error))
        }
    }

    /// Needs OpenSSH's `ssh-keygen`, and runs it.
    func checkSignature() -> RuleOutcome {
        guard let manifest, manifest.signatures == .required else {
            return .skipped("the manifest requires no signature")
        }
        do throws(SignatureError) {
            let signature = entry.file + SignatureCheck.suffix
            _ = try SignatureCheck(signers: manifest.allowedSigners, manifest.trust).signer(
                of: file, by: signature)
            return .kept
        } catch {
            return .broken(.signature(error))
        }
    }
}
