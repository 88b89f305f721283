// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

@Suite("a command that a message shows", .onOwnThreads)
struct ShownCommandTests {
    @Test(
        "does what it says, whatever the file is called",
        arguments: ["it's $HOME", "-rf", "two\nlines", "\u{1b}[2J"])
    func chmod(name: String) throws {
        let workspace = try Workspace()
        try workspace.folder.write(
            #"{"manifest": 1, "directories": ["."]}"#, to: "\(name)/manifest.json")
        let folder = workspace.url.appendingPathComponent(name)
        try FileManager.default.copyItem(
            atPath: workspace.path("Plugins/users.so"), toPath: folder.path + "/\(name).so")
        try workspace.setMode(0o666, of: "\(name)/\(name).so")
        let refused = try Eaves.run(
            Eaves.executable, ["launch", "--manifest", "./\(name)/manifest.json", "users"],
            in: workspace.url)
        #expect(refused.code == 77)
        try workspace.runFix(of: refused.errors)
        let attributes = try FileManager.default.attributesOfItem(
            atPath: folder.path + "/\(name).so")
        #expect(attributes[.posixPermissions] as? Int == 0o644, "\(refused.errors)")
    }
}
