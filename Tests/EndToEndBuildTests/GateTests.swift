// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// `.ci/test`, with a program in place of `swift` that prints what `swift test` prints.
@Suite("the gate's tests", .onOwnThreads, .patiently)
struct GateTests {
    private func run(_ script: String) throws -> Eaves.Outcome {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent(".ci"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: Repository.file(".ci/test"), to: folder.url.appendingPathComponent(".ci/test"))
        try folder.write("#!/bin/sh\n" + script, to: "text")
        // Somebody else makes the program: a file that this process writes can be open in a child.
        let line = """
            mkdir bin && cp text bin/swift && chmod 755 bin/swift
            PATH="$PWD/bin:$PATH" EAVES_TEST_PATIENCE=2 .ci/test --filter some
            """
        return try Eaves.shell(line, in: folder.url)
    }

    @Test("end when they hang, with the names of those that were running")
    func hang() throws {
        let outcome = try run(
            """
            echo "◇ Test run started."
            echo '◇ Test "hangs" started.'
            echo '◇ Test "is well" started.'
            echo '◇ Test "has cases" started.'
            echo '✔ Test "is well" passed after 0.001 seconds.'
            echo '✘ Test "has cases" with 2 test cases failed after 0.1 seconds with 1 issue.'
            exec sleep 1000
            """)
        #expect(outcome.code == 1)
        #expect(
            outcome.errors.hasSuffix(
                """
                error: for 2 s, no test has begun or ended; these were running:
                    "hangs"

                """), "\(outcome)")
        #expect(outcome.output.contains("Test \"is well\" passed"))
    }

    @Test("end with the exit code of swift test, and get its arguments", arguments: [0, 3])
    func code(code: Int) throws {
        let outcome = try run("echo \"$*\"; exit \(code)")
        #expect(Int(outcome.code) == code)
        #expect(outcome.output == "test --filter some\n")
    }
}
