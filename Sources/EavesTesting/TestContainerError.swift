// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesRegistry

/// Why a test container could not be had, or could not bring in a module: the messages of `eaves`.
public struct TestContainerError: Error, Hashable, CustomStringConvertible {
    /// What is wrong, a message each, with how to mend it; never empty.
    public let messages: [String]

    /// The messages, each from a line of its own on.
    public var description: String { messages.joined(separator: "\n") }

    /// The test binary keeps its symbols to itself, so that no module finds the interface in it.
    static let notExported = TestContainerError(
        Diagnostic(
            "this test does not export its symbols, so that no module can be loaded into it",
            fix: "link it with '-Xlinker --export-dynamic', as Documentation/Testing.md shows",
            code: .incompatible))

    init(_ error: any Error) {
        messages =
            (error as? any Diagnosable)?.diagnostics.map(\.description) ?? ["\(error)"]
    }

    /// Runs a step of the host, whose own errors are not public.
    static func naming<Result>(_ step: () throws -> Result) throws(TestContainerError) -> Result {
        do {
            return try step()
        } catch {
            throw TestContainerError(error)
        }
    }
}
