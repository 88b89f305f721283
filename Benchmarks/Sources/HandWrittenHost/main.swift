// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import HandWritten

// The least that anybody writes: the modules' paths are known, all of them are loaded.
let registry = Registry()
registry.loadInterface("Plugins/common.so")
for path in CommandLine.arguments.dropFirst(2) { registry.load(path) }
if CommandLine.arguments[1] == "list" {
    for name in registry.factories.keys.sorted() { print(name) }
} else {
    exit(try await registry.launch(CommandLine.arguments[1]))
}
