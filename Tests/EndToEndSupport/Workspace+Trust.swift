// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

extension Workspace {
    /// A file of the workspace as an absolute path.
    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    func setMode(_ mode: mode_t, of name: String) throws {
        guard chmod(path(name), mode) == 0 else { throw FixtureError("chmod \(name)") }
    }

    /// Gives a file away, or a link itself. Only root can.
    func setOwner(_ owner: uid_t, group: gid_t? = nil, of name: String) throws {
        guard lchown(path(name), owner, group ?? gid_t.max) == 0 else {
            throw FixtureError("chown \(name)")
        }
    }

    func link(_ name: String, to target: String) throws {
        guard symlink(target, path(name)) == 0 else { throw FixtureError("ln \(name)") }
    }

    /// The shipped manifest with more keys behind `"manifest": 1`.
    func addToManifest(_ text: String) throws {
        let before = try folder.read("manifest.json")
        try manifest(
            before.replacingOccurrences(
                of: #""manifest": 1,"#, with: #""manifest": 1, "# + text + ","))
    }

    /// Runs the command that a message says would mend it, between the first and the last quote.
    func runFix(of errors: String) throws {
        let fix = errors.split(separator: "\n").last { $0.hasPrefix("fix: ") } ?? ""
        guard let start = fix.firstIndex(of: "'"), let end = fix.lastIndex(of: "'"), start < end
        else { throw FixtureError("no command in \(fix)") }
        let outcome = try Eaves.shell(String(fix[fix.index(after: start)..<end]), in: url)
        guard outcome.code == 0 else { throw FixtureError("\(outcome)") }
    }
}
