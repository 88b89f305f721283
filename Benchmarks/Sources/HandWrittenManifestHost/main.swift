// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import HandWritten

// The same, with the modules taken from a manifest, as one reads JSON in Swift.
struct Manifest: Decodable {
    let directories: [String]
    let bindings: [String: String]
}

let text = try Data(contentsOf: URL(filePath: "manifest.json"))
let manifest = try JSONDecoder().decode(Manifest.self, from: text)
let registry = Registry()
registry.loadInterface("\(manifest.directories[0])/common.so")
for id in manifest.bindings.values.sorted() + [CommandLine.arguments[1]] {
    registry.load("\(manifest.directories[0])/\(id).so")
}
exit(try await registry.launch(CommandLine.arguments[1]))
