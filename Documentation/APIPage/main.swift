// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem

// Prints the page of a module's public API. `.ci/api` calls it with the module's symbol graph, which
// `swift-symbolgraph-extract` writes.
guard CommandLine.arguments.count == 2 else { fatalError("usage: APIPage SYMBOL-GRAPH") }
let bytes = try Files.read(CommandLine.arguments[1])
let graph = SymbolGraph(try JSONNode.parse(bytes))
print(APIPage(graph).text, terminator: "")
