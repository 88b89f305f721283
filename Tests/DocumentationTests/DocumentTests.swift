// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@Suite("Document", .onOwnThreads)
struct DocumentTests {
    private let document = Document(
        path: "Page.md",
        text: """
            # Page

            ```json Weather/module.json
            { "id": "weather" }
            ```

            ```console
            $ eaves launch weather
            sunny

            $ eaves launch rain
            error: no rain
            # exit code: 66
            ```

            ```swift
            let nothing = "is written"
            ```
            """)

    @Test("has files and commands in order, each command with its output and exit code")
    func actions() {
        #expect(
            document.actions == [
                .write(path: "Weather/module.json", text: "{ \"id\": \"weather\" }\n"),
                .run(Step(command: "eaves launch weather", output: ["sunny", ""], line: 8)),
                .run(
                    Step(
                        command: "eaves launch rain", output: ["error: no rain"], exitCode: 66,
                        line: 11)),
            ])
    }

    @Test("knows why a command is not run, and that others are")
    func skipped() {
        #expect(SkippedCommand.reason(for: "swift test --filter Catalog") != nil)
        #expect(SkippedCommand.reason(for: "swift run eaves launch users") == nil)
    }
}
