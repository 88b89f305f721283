// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesSystem

/// The gate that every command passes before it reads anything of a project: it opens the manifest, after
/// it has checked who can change it.
///
/// A manifest decides which code runs. So one that belongs to another user is refused, also where a
/// search upwards has found it, and also for root, until the user consents: ``ConsentList``.
package struct TrustGate: ~Copyable, Sendable {
    /// The manifest, open for reading. Its text comes from this file alone.
    package let manifest: OpenFile
    /// The check for everything else that the project leads to.
    package let check: TrustCheck

    private init(_ place: TrustPlace, _ check: TrustCheck) throws(TrustError) {
        manifest = try check.openFile(place)
        self.check = check
    }

    /// Passes the gate.
    ///
    /// - Parameter path: The manifest's file, as an absolute path.
    /// - Throws: ``TrustGateError`` if others can change the manifest, or it cannot be opened.
    package static func open(_ path: String) throws(TrustGateError) -> TrustGate {
        let place = TrustPlace(path, .manifest)
        do throws(TrustError) {
            return try TrustGate(place, .own)
        } catch {
            guard case .owner(let found, let owner) = error else { throw .untrusted(error) }
            guard try hasConsent(to: Path.parent(of: path), of: owner) else {
                throw .untrusted(
                    .foreignProject(found, owner: owner, folder: Path.parent(of: path)))
            }
            let check = TrustCheck(owners: TrustedOwners(consented: owner))
            do throws(TrustError) {
                return try TrustGate(place, check)
            } catch {
                throw .untrusted(error)
            }
        }
    }

    /// Consent is given to a folder under its real path.
    private static func hasConsent(
        to folder: String, of owner: UInt32
    ) throws(TrustGateError) -> Bool {
        guard let folder = Files.resolved(folder) else { return false }
        do throws(ConsentError) {
            return try ConsentList.hasConsent(to: folder, of: owner)
        } catch {
            throw .consents(error)
        }
    }
}

/// The reason why a command stops before it reads anything of a project.
package enum TrustGateError: Error, Hashable, Sendable {
    /// Others can change the manifest.
    case untrusted(TrustError)
    /// The manifest belongs to another user, and the lists of consents cannot be read.
    case consents(ConsentError)
}

extension TrustGateError: Diagnosable {
    package var diagnostic: Diagnostic {
        switch self {
        case .untrusted(let error): error.diagnostic
        case .consents(let error): error.diagnostic
        }
    }
}
