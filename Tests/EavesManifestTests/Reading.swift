// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesManifest

/// A manifest that uses every key.
let wholeManifest = #"""
    {
      "$schema": "Documentation/manifest.schema.json",
      "manifest": 1,
      "directories": ["Plugins", "/opt/eaves"],
      "modules": {
        "users-sqlite": {
          "library": "vendor/users.so", "enabled": false,
          "sha256": "0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef",
          "isolation": "process",
          "settings": { "path": "users.db", "limits": [1, 2.5, null], "on": true }
        },
        "log.v2": {}
      },
      "bindings": { "UserService": "users-memory", "Net.Häuser": "users-sqlite" },
      "launch": "login"
    }

    """#

func manifest(_ text: String, path: String = "manifest.json") throws(ManifestError) -> Manifest {
    try Manifest(path: path, bytes: Array(text.utf8))
}

/// Returns the messages about a text.
func problems(in text: String) -> [Diagnostic] {
    do throws(ManifestError) {
        _ = try manifest(text)
        return []
    } catch {
        return error.diagnostics
    }
}

/// Returns the messages of the error that a body throws.
func problems(_ body: () throws -> Void) -> [Diagnostic] {
    do {
        try body()
        return []
    } catch {
        return (error as? any Diagnosable)?.diagnostics ?? []
    }
}
