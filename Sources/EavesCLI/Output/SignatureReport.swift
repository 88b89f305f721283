// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTrust
import EavesCatalog
import EavesDiagnostics
import EavesHost
import EavesJSON
import EavesManifest
import EavesSystem

/// What `eaves inspect` says of a module's signature, whether or not one is required.
struct SignatureReport {
    /// As seen from the manifest's folder.
    private let path: String
    private let result: Result<Signer, SignatureError>

    /// `nil` if there is no signature.
    init?(of entry: CatalogEntry, in manifest: Manifest?) {
        let file = entry.file + SignatureCheck.suffix
        guard (try? FileStatus(path: file)) != nil else { return nil }
        path = entry.path + SignatureCheck.suffix
        result =
            manifest.map { manifest in
                Result { () throws(SignatureError) in
                    try SignatureCheck(manifest).signer(of: entry.file, by: file)
                }
            } ?? .failure(.noManifest)
    }

    var json: JSON {
        switch result {
        case .success(let signer):
            [
                "path": .string(path), "signer": .string(signer.name), "key": .string(signer.key),
                "problem": .null,
            ]
        case .failure(let fault):
            [
                "path": .string(path), "signer": .null, "key": .null,
                "problem": .string(Self.words(fault)),
            ]
        }
    }

    var text: String {
        switch result {
        case .success(let signer): "by \(signer.name), with the \(signer.key)"
        case .failure(let fault): "does not count: \(Self.words(fault))"
        }
    }

    private static func words(_ fault: SignatureError) -> String {
        fault.diagnostics.map(\.message).joined(separator: "; ")
    }
}
