// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
package import EavesSystem

/// A line of the log of crashes. Its beginning names a module, and is prepared before the module is
/// loaded; the process that crashes adds the signal or the exit code, and the time, and writes the line.
package struct CrashLogEntry: Sendable {
    package let module: String
    /// The module's file, as messages show it.
    package let path: String
    /// The module's file as an absolute path.
    let file: String
    /// The ``FileIdentity/text`` of the file when it was loaded; empty if it was unknown.
    let identity: String
    /// The private copy that was loaded.
    let copy: String
    package let crash: ModuleCrash

    /// Reads a line; `nil` if it is damaged.
    init?(_ line: some Collection<UInt8>) {
        guard let node = try? JSONNode.parse(Array(line)), let crash = ModuleCrash(node),
            let module = node["module"]?.string, let path = node["path"]?.string,
            let file = node["file"]?.string, let identity = node["stamp"]?.string,
            let copy = node["copy"]?.string
        else { return nil }
        self.module = module
        self.path = path
        self.file = file
        self.identity = identity
        self.copy = copy
        self.crash = crash
    }

    /// The beginning of the line for a module: a JSON object without its closing brace.
    ///
    /// - Parameters:
    ///   - status: The status of the module's file when it is loaded.
    ///   - copy: The private copy that is loaded.
    package static func beginning(
        _ module: SuspectModule, _ status: FileStatus?, copy: String
    ) -> String {
        let identity = status.map { FileIdentity($0).text } ?? ""
        let known: JSON = [
            "module": .string(module.id), "path": .string(module.path),
            "file": .string(module.file),
            "stamp": .string(identity), "copy": .string(copy),
        ]
        return String(known.text(pretty: false).dropLast())
    }

    /// The digest of the module that crashed; `nil` if neither its file nor its copy is left, so that
    /// no host can load it again.
    ///
    /// - Parameter now: The content of the module's file now.
    func digest(now: Quarantine.Content) -> String? {
        if now.identity == identity { return now.sha256 }
        return try? SHA256.digest(of: OpenFile(reading: copy)).hex
    }
}
