// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Testing

@testable import EavesVerify

@Suite("the dialogue with a probe", .onOwnThreads)
final class ProbeDialogueTests {
    private var dialogue = ProbeDialogue(checks: ["loads", "registers", "ends"])

    private func accept(_ report: ProbeReport) -> Bool {
        dialogue.accept(report, dialogue.token)
    }

    @Test("accepts each report when it is due, and makes a new token each time")
    func inOrder() {
        var tokens: Set = [dialogue.secret, dialogue.token]
        let reports: [ProbeReport] = [
            .started("loads"), .reached(.unloaded), .reached(.loaded), .finished("loads", .passed),
            .started("ends"), .reached(.registered), .finished("ends", .passed), .leaving,
        ]
        for report in reports {
            #expect(!dialogue.hasLeft)
            #expect(accept(report), "\(report)")
            tokens.insert(dialogue.token)
        }
        #expect(dialogue.hasLeft)
        #expect(tokens.count == reports.count + 2 && tokens.allSatisfy { $0.count == 16 })
    }

    @Test("accepts nothing with another token: an old one, the secret, or none")
    func token() {
        let old = dialogue.token
        #expect(accept(.started("loads")))
        for token in [old, dialogue.secret, ""] {
            let isAccepted = dialogue.accept(.finished("loads", .passed), token)
            #expect(!isAccepted)
        }
        #expect(accept(.finished("loads", .passed)))
    }

    @Test("accepts no report that is not due")
    func notDue() {
        func refuses(_ reports: [ProbeReport]) -> Bool {
            reports.allSatisfy { report in
                var copy = dialogue
                return !copy.accept(report, copy.token)
            }
        }
        #expect(refuses([.finished("loads", .passed), .started("other"), .reached(.unloaded)]))
        #expect(accept(.started("registers")))
        #expect(
            refuses([
                .started("ends"), .started("loads"), .finished("loads", .passed), .leaving,
                .reached(.registered),
            ]))
        #expect(accept(.finished("registers", .passed)))
        #expect(
            refuses([.started("loads"), .started("registers"), .finished("registers", .passed)]))
        #expect(accept(.leaving))
        #expect(refuses([.started("ends"), .leaving]))
    }
}
