// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import EavesCLI
@testable import EavesOutput

@Suite("The meaning of signals to a shell")
struct SignalMeaningTests {
    private let start = ContinuousClock.now
    private var atTerminal = SignalMeaning(isInteractive: true)
    private var inScript = SignalMeaning(isInteractive: false)

    @Test("Ctrl-C asks a feature at a terminal to end, once, and the next one ends the shell")
    mutating func interrupt() {
        #expect(atTerminal.beginRunning() == false)
        #expect(atTerminal.take(SIGINT, at: start) == .askFeature)
        #expect(atTerminal.deadline == start + .seconds(1))
        #expect(atTerminal.ending == nil)
        #expect(atTerminal.take(SIGINT, at: start) == .exit)
    }

    @Test("a feature that does not end when it is asked is late once")
    mutating func late() {
        #expect(atTerminal.beginRunning() == false)
        #expect(atTerminal.take(SIGINT, at: start) == .askFeature)
        #expect(atTerminal.losesPatience(at: start + .milliseconds(999)) == false)
        #expect(atTerminal.losesPatience(at: start + .seconds(1)) == true)
        #expect(atTerminal.losesPatience(at: start + .seconds(9)) == false)
    }

    @Test("a feature that has ended is late no more, and the next one is not asked")
    mutating func ended() {
        #expect(atTerminal.beginRunning() == false)
        #expect(atTerminal.take(SIGINT, at: start) == .askFeature)
        #expect(atTerminal.endRunning() == true)
        #expect(atTerminal.deadline == nil)
        #expect(atTerminal.losesPatience(at: start + .seconds(9)) == false)
        #expect(atTerminal.beginRunning() == false)
        #expect(atTerminal.endRunning() == false)
    }

    @Test("a signal that ends the shell asks the feature first", arguments: [SIGTERM, SIGHUP])
    mutating func ending(number: Int32) {
        #expect(atTerminal.beginRunning() == false)
        #expect(atTerminal.take(number, at: start) == .askFeature)
        #expect(atTerminal.ending == number)
        #expect(atTerminal.deadline == start + .seconds(2))
        #expect(atTerminal.endRunning() == true)
        #expect(atTerminal.deadline == nil)
        #expect(atTerminal.beginReading() == false)
        #expect(atTerminal.beginEditing() == true)
        #expect(atTerminal.takeEditingNews() == SignalMeaning.EditingNews(isDiscarded: true))
        #expect(atTerminal.beginRunning() == true)
    }

    @Test("without a terminal, SIGINT ends the shell like any other signal")
    mutating func script() {
        #expect(inScript.take(SIGINT) == .nothing)
        #expect(inScript.ending == SIGINT)
        #expect(inScript.take(SIGINT) == .exit)
        var other = SignalMeaning(isInteractive: false)
        #expect(other.beginReading() == true)
        #expect(other.take(SIGINT) == .stopAndExit)
    }

    @Test("a line that is read or edited is given up at Ctrl-C, and drawn at a new size")
    mutating func lines() {
        #expect(atTerminal.take(SIGINT) == .nothing)
        #expect(atTerminal.beginReading() == true)
        #expect(atTerminal.take(SIGINT) == .promptAgain)
        #expect(atTerminal.take(SIGWINCH) == .nothing)
        #expect(atTerminal.take(SIGTERM) == .stopAndExit)
        atTerminal.endReading()
        #expect(atTerminal.beginEditing() == false)
        for number in [SIGWINCH, SIGCONT, SIGINT] {
            #expect(atTerminal.take(number) == .lookAtLine)
        }
        let all = SignalMeaning.EditingNews(isDiscarded: true, isResized: true, isContinued: true)
        #expect(atTerminal.takeEditingNews() == all)
        #expect(atTerminal.takeEditingNews() == SignalMeaning.EditingNews())
        #expect(atTerminal.ending == nil)
    }
}
