// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesTestSupport
import Testing

@testable import EavesLife

@Suite("A binding that was taken back although the manifest cannot be written", .onOwnThreads)
struct RulingTests {
    @Test("stays out until a person binds the service anew, and counts if a person repeats it")
    func ended() throws {
        var running = Running()
        running.overrule(BindingKey(text: "Users"), bound: .module("bad"), with: "good")
        let demands = try ["bad", "bad", "other", "bad"].map { module in
            let text = #"{ "manifest": 1, "bindings": { "Users": "\#(module)" } }"#
            let manifest = try Manifest(path: "/nowhere/manifest.json", bytes: Array(text.utf8))
            return running.overruling(manifest).choices.demands.map(\.module)
        }
        #expect(demands == [["good"], ["good"], [], []])
    }
}
