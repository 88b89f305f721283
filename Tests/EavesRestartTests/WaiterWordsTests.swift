// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesChild
import EavesProcess
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesRestart

/// A test plays the process that waits.
@Suite("The words of a host and the process that waits", .onOwnThreads, .patiently)
struct WaiterWordsTests {
    private typealias Word = (
        kind: Int, process: Int32, value: Int32, bytes: [UInt8], descriptors: [Int32]
    )

    private let waiter: Waiter
    private let socket: Int32
    private let kept = KeptDescriptors { _ in nil }
    private let signals = Locked<[Int32]>([])

    init() throws {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        (waiter, socket) = (Waiter(ends[0], handing: kept), ends[1])
        var limit = timeval(tv_sec: Int(Patience.seconds), tv_usec: 0)
        setsockopt(
            socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    private func say(
        _ kind: Int, _ process: Int32 = 0, _ value: Int32 = 0, _ text: String = "",
        _ descriptors: [Int32] = []
    ) throws {
        let head = eaves_word(kind: Int32(kind), process: process, value: value)
        let bytes = withUnsafeBytes(of: head) { Array($0) } + text.utf8
        try LocalSocket.send(bytes, descriptors, to: socket)
    }

    private func hear() throws -> Word {
        let (bytes, descriptors) = try LocalSocket.receive(from: socket)
        let head = bytes.withUnsafeBytes { $0.loadUnaligned(as: eaves_word.self) }
        let text = Array(bytes.dropFirst(MemoryLayout<eaves_word>.size))
        return (Int(head.kind), head.process, head.value, text, descriptors)
    }

    /// Lets the host begin, and takes what it says first.
    @discardableResult
    private func begin() throws -> (process: Int32, ending: ChildEnding)? {
        let place = try ProgramPlace()
        let crashed = try waiter.begin(place, taking: [SIGINT, SIGUSR2]) { [signals] signal in
            signals.withLock { $0.append(signal) }
            return true
        }
        let first = try hear()
        #expect(first.kind == eaves_word_place)
        #expect(first.bytes == Array("\(place.path)\0\(place.folder)\0".utf8))
        for signal in [SIGINT, SIGUSR2] {
            let next = try hear()
            #expect(next.kind == eaves_word_listens && next.value == signal)
        }
        return crashed
    }

    /// Runs what waits for an answer.
    private func ask<Value: Sendable>(
        _ question: @escaping @Sendable () throws -> Value
    ) throws -> Awaited<Result<Value, any Error>> {
        let result = Awaited<Result<Value, any Error>>()
        try DetachedThread.start { result.set(Result { try question() }) }
        return result
    }

    @Test("tell a host what it follows and what is kept, before it begins and later")
    func beginning() throws {
        defer { close(socket) }
        try say(eaves_word_follows, 7, SIGKILL)
        try say(eaves_word_kept, 0, 0, "early words", [STDIN_FILENO])
        let crashed = try begin()
        #expect(crashed?.process == 7 && crashed?.ending == .signalled(SIGKILL))
        #expect(kept.all.contains { $0.name == "early words" })
        kept.drop("early words")
        let dropped = try hear()
        #expect(dropped.kind == eaves_word_drop && dropped.bytes == Array("early words".utf8))
        try say(eaves_word_kept, 0, 0, "late words", [STDIN_FILENO])
        waiter.settle()
        #expect(kept.all.map(\.name) == ["late words"])
    }

    @Test("start a host that follows none, and wait for no answer to what cannot be kept")
    func nothing() throws {
        defer { close(socket) }
        #expect(try begin() == nil)
        let long = String(repeating: "n", count: Int(eaves_most_word_bytes) + 1)
        let unkept = try ask { [waiter] in waiter.keep((long, [STDIN_FILENO])) }
        #expect(unkept.wait(within: Patience.limit) != nil)
        let told = try ask { [waiter] in waiter.keep(("name", [STDIN_FILENO])) }
        let word = try hear()
        word.descriptors.forEach { close($0) }
        #expect(word.kind == eaves_word_keep && word.bytes == Array("name".utf8))
        #expect(word.descriptors.count == 1)
        let served = try ask { [waiter] in try waiter.serves(7) }
        #expect(!Pipe.isReadable(socket, within: 20), "an answer would not say which of the two")
        #expect(told.wait(within: .zero) == nil, "hosts have not heard of it yet")
        try say(eaves_word_known)
        #expect(told.wait(within: Patience.limit) != nil)
        #expect(try hear().kind == eaves_word_serves)
        try say(eaves_word_known)
        #expect(served.wait(within: Patience.limit) != nil)
        waiter.tellCrash()
        #expect(try hear().kind == eaves_word_crashes)
    }

    @Test("bring signals, each once, and none while another one is taken")
    func signal() throws {
        defer { close(socket) }
        try begin()
        // The group of processes got it, so that it has come here already.
        #expect(!SignalPair.isSecond(SIGUSR1, from: 12, isPassedOn: false))
        try say(eaves_word_signal, 12, SIGUSR1)
        try say(eaves_word_signal, 12, SIGUSR2)
        waiter.settle()
        #expect(signals.withLock { $0 } == [SIGUSR2])
        waiter.signal(SIGTERM, to: 9)
        let word = try hear()
        #expect(word.kind == eaves_word_kill && word.process == 9 && word.value == SIGTERM)
    }

    @Test("start another host, whose end is known, and no earlier one of that number")
    func starting() throws {
        defer { close(socket) }
        try begin()
        for end in [3, 4] as [Int32] {
            let started = try ask { [waiter] in try waiter.start(STDIN_FILENO) }
            let word = try hear()
            word.descriptors.forEach { close($0) }
            #expect(word.kind == eaves_word_start && word.descriptors.count == 1)
            try say(eaves_word_started, 7)
            #expect(try started.wait(within: Patience.limit)?.get() == 7)
            #expect(waiter.ending(of: 7).wait(within: .zero) == nil)
            try say(eaves_word_ended, 7, end << 8)
            waiter.settle()
            #expect(waiter.ending(of: 7).wait(within: .zero) == .exited(end))
        }
        let refused = try ask { [waiter] in try waiter.start(STDIN_FILENO) }
        try hear().descriptors.forEach { close($0) }
        try say(eaves_word_started, 0, ENOENT)
        let error = try #require(refused.wait(within: Patience.limit))
        #expect(throws: SystemError(.run, "a fresh process", Errno(rawValue: ENOENT))) {
            try error.get()
        }
    }

    @Test("end with the process that waits, and with what is no word", arguments: [false, true])
    func end(isWord: Bool) throws {
        try begin()
        let asked = try ask { [waiter] in try waiter.serves(7) }
        let word = try hear()
        #expect(word.kind == eaves_word_serves && word.process == 7)
        if isWord { try LocalSocket.send([1, 2], to: socket) } else { close(socket) }
        let answer = try #require(asked.wait(within: Patience.limit))
        #expect(throws: SystemError(.run, "a fresh process", Errno(rawValue: ESRCH))) {
            try answer.get()
        }
        if isWord { close(socket) }
    }
}
