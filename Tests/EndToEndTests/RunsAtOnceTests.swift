// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Testing

@testable import EndToEndSupport

/// The handlers for crashes know of each module whose code some thread runs for the first time.
@Suite("modules that are loaded and register at once", .onOwnThreads, .patiently)
struct RunsAtOnceTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let sources = Repository.file("Sources/Ground/CEavesNative").path
        let program = SwiftFixtures.folder.appendingPathComponent("RunsAtOnce/main.c").path
        let built = try Eaves.shell(
            "${CC:-cc} -D_Nonnull= -D_Nullable= -I \(sources)/include -o runs \(program) "
                + "\(sources)/CrashReport/*.c -ldl -pthread", in: folder.url)
        guard built.code == 0 else { throw FixtureError("\(built)") }
    }

    @Test(
        "are blamed for an exit of the thread that runs their code, and for no other one",
        arguments: [
            ("other", "b: ended the process with exit code 3 while it registered"),
            ("nested", "a: ended the process with exit code 3 while it was loaded"),
            ("left", nil), ("given up", nil), ("many", nil),
        ])
    func exits(way: String, words: String?) throws {
        let outcome = try Eaves.run(
            folder.url.appendingPathComponent("runs"), [way, folder.path], in: folder.url)
        if let words {
            #expect(outcome.code == 70, "\(outcome)")
            #expect(outcome.errors.hasPrefix("error: \(words)"), "\(outcome)")
        } else {
            #expect(outcome.code == 3, "\(outcome)")
            #expect(!outcome.errors.contains("ended"), "\(outcome)")
        }
    }

    @Test("are each named while they take long")
    func late() throws {
        let outcome = try Eaves.shell(
            """
            ./runs late . 2> errors &
            until grep -q "^warning: a: has been registering for 50 ms" errors &&
                grep -q "^warning: b: has been registering for 50 ms" errors; do sleep 0.02; done
            kill -KILL $!
            """, in: folder.url)
        #expect(outcome.code == 0, "\(outcome)")
    }
}
