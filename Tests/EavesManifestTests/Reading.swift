// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesJSON
import EavesTestSupport

@testable import EavesManifest

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
    Result { () throws(ManifestError) in try manifest(text) }.failure?.diagnostics ?? []
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

extension TemporaryFolder {
    /// Writes `manifest.json` and returns its path.
    @discardableResult
    func write(_ text: String) throws -> String {
        try write(text, to: "manifest.json")
    }

    /// The text of `manifest.json`.
    func read() throws -> String {
        try read("manifest.json")
    }
}

// Edits that no history keeps, as a person makes them.
extension ManifestEditor {
    mutating func bind(_ service: String, to module: String) throws(ManifestError) {
        try change { text throws(JSONSyntaxError) in
            try text.set([.bindings, service], to: .string(module))
        }
    }

    mutating func unbind(_ service: String) throws(ManifestError) {
        try change { text throws(JSONSyntaxError) in try text.remove([.bindings, service]) }
    }
}

extension Manifest {
    /// The module that a service is bound to, and that is chosen if several share it.
    func binding(of service: String, name: String? = nil) -> String? {
        chosen[BindingKey(service, name: name)]?.module
    }
}
