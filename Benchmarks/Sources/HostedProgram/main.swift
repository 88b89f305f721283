// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost

// A program that is a host, against `EmptyProgram`. With the path of a manifest, it makes a host for it,
// which loads nothing yet; without, it only has Eaves linked in.

if let path = CommandLine.arguments.dropFirst().first {
    let host = try Host(manifest: path)
    host.provide((any Greeting).self, scope: .shared) { _ in PlainGreeting() }
}

/// A service of the program's own.
protocol Greeting: Sendable {}
struct PlainGreeting: Greeting {}
