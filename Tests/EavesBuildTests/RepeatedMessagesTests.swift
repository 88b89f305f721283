// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@testable import EavesCompiler
import EavesTestSupport
import Testing

@testable import EavesBuild

@Suite("Repeated messages", .onOwnThreads, .patiently) struct RepeatedMessagesTests {
    private func shown(_ pieces: String...) -> String {
        var messages = RepeatedMessages()
        var shown = ""
        for piece in pieces { shown += messages.pass(piece) }
        return shown + messages.finish()
    }

    private static let mistake = """
        /a/A.swift:2:3: error: cannot find 'x' in scope
        1 | import B
        2 |   x
          |   `- error: cannot find 'x' in scope

        """

    @Test("are shown once, however their lines come in")
    func once() {
        #expect(shown(Self.mistake + Self.mistake) == Self.mistake)
        #expect(shown(Self.mistake + "\n\n" + Self.mistake) == Self.mistake + "\n\n")
        let lines = Self.mistake.split(separator: "\n").map { String($0) + "\n" }
        #expect(
            shown(lines[0], lines[1] + lines[2], lines[3], lines[0], lines[1] + lines[2], lines[3])
                == Self.mistake)
    }

    @Test("of other places are other messages, and so are those with other notes")
    func others() {
        let other = Self.mistake.replacing("A.swift:2", with: "A.swift:3")
        #expect(shown(Self.mistake + other) == Self.mistake + other)
        let note = "/a/B.swift:1:1: note: 'y' is declared here\n1 | y\n"
        #expect(shown(Self.mistake + note + other + note) == Self.mistake + note + other + note)
        #expect(shown(Self.mistake + note + Self.mistake + note) == Self.mistake + note)
    }

    @Test("of Clang have the files that include their place")
    func inclusions() {
        let first = "In file included from a.c:1:\nb.h:1:1: warning: odd\n    1 | odd\n"
        let second = "In file included from a.c:1:\nb.h:2:1: warning: odd\n    2 | odd\n"
        #expect(shown(first + second + first) == first + second)
    }

    @Test("of another module that was built before are left out, too")
    func modules() {
        let printed = RepeatedMessages.Printed()
        var first = RepeatedMessages(printed)
        var second = RepeatedMessages(printed)
        #expect(first.pass(Self.mistake) + first.finish() == Self.mistake)
        #expect(second.pass(Self.mistake) + second.finish() == "")
        #expect(shown(Self.mistake) == Self.mistake)
    }

    @Test("are all that is left out: other lines are shown as soon as they come")
    func lines() {
        var messages = RepeatedMessages()
        #expect(messages.pass("Fetching a\n") == "Fetching a\n")
        #expect(messages.pass("Fetching a\n") == "Fetching a\n")
        #expect(messages.pass(Self.mistake) == "")
        #expect(messages.pass("Fetching b\n") == Self.mistake + "Fetching b\n")
        #expect(messages.finish() == "")
        let address = "[#Old]: <https://example.org>\n"
        #expect(shown(address + Self.mistake + address) == address + Self.mistake)
    }
}
