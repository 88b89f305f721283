// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
package import EavesSystem

/// A line of the log of crashes: who is to blame, noted before the module was loaded, and what
/// happened, added by the process that died of it.
package struct CrashLogEntry: Sendable {
    let module: String
    let path: String
    /// The module's file as an absolute path, and how it was when it was loaded.
    let file: String
    let stamp: ContentStamp
    /// The copy of it that was loaded.
    let copy: String
    let crash: ModuleCrash

    /// - Returns: `nil` if it is no such line.
    init?(_ line: some Collection<UInt8>) {
        guard let node = try? JSONNode.parse(Array(line)), let crash = ModuleCrash(node),
            let module = node["module"]?.string, let path = node["path"]?.string,
            let file = node["file"]?.string, let stamp = node["stamp"]?.string,
            let copy = node["copy"]?.string
        else { return nil }
        self.module = module
        self.path = path
        self.file = file
        self.stamp = ContentStamp(text: stamp)
        self.copy = copy
        self.crash = crash
    }

    /// What is known of a line before anything happens: a JSON object without its closing brace.
    ///
    /// - Parameters:
    ///   - module: The module.
    ///   - status: Its file as it was when it was loaded.
    ///   - copy: The file that is loaded.
    package static func beginning(
        _ module: SuspectModule, _ status: FileStatus?, copy: String
    ) -> String {
        let stamp = status.map { ContentStamp($0).text } ?? ""
        let known: JSON = [
            "module": .string(module.id), "path": .string(module.path),
            "file": .string(module.file),
            "stamp": .string(stamp), "copy": .string(copy),
        ]
        return String(known.text(pretty: false).dropLast())
    }

    /// What the module hashed to that crashed; `nil` if it is no longer there to be looked at, in
    /// which case nobody can load it again either.
    ///
    /// - Parameter now: What the module's file is now.
    func digest(now: Quarantine.Content) -> String? {
        if now.stamp == stamp { return now.sha256 }
        return try? SHA256.digest(of: OpenFile(reading: copy)).hex
    }
}
