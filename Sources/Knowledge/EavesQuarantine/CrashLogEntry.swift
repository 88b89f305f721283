// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
package import EavesSystem

/// A line of the log of crashes. Its beginning names a module, and is prepared before the module is
/// loaded; the process that crashes adds the generation, the feature that was launched, the signal or the exit
/// code, and the time, and writes the line.
package struct CrashLogEntry: Sendable {
    package let module: String
    /// The module's file, as messages show it.
    package let path: String
    /// The module's file as an absolute path.
    let file: String
    /// The digest of the content that was loaded. The file may have another one by now.
    package let sha256: String
    package let crash: ModuleCrash

    /// Reads a line; `nil` if it is damaged.
    init?(_ line: some Collection<UInt8>) {
        guard let node = try? JSONNode.parse(Array(line)), let crash = ModuleCrash(node),
            let module = node["module"]?.string, let path = node["path"]?.string,
            let file = node["file"]?.string, let sha256 = node["sha256"]?.string
        else { return nil }
        self.module = module
        self.path = path
        self.file = file
        self.sha256 = sha256
        self.crash = crash
    }

    /// The beginning of the line for a module: a JSON object without its closing brace.
    ///
    /// - Parameters:
    ///   - digest: The digest of the private copy that is loaded.
    package static func beginning(_ module: SuspectModule, _ digest: SHA256Digest) -> String {
        let known: JSON = [
            "module": .string(module.id), "path": .string(module.path),
            "file": .string(module.file), "sha256": .string(digest.hex),
        ]
        return String(known.text(pretty: false).dropLast())
    }
}
