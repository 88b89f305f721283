// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesChild
import EavesProcess
import EavesSystem
import Glibc
import Synchronization

/// The process that was started and waits for the hosts of the program, as a host sees it.
///
/// Safe from any thread. One thread at a time starts hosts.
final class Waiter: DescriptorKeeper, HostStarter {
    /// `nil` if no process waits for this one.
    static let ofProcess: Waiter? = {
        let socket = eaves_waiter_socket()
        return socket >= 0 ? Waiter(socket) : nil
    }()

    /// Lets the program go on in a child. This process waits for it, and never returns from the call.
    static func goOnInChild() throws(SystemError) {
        guard eaves_go_on_in_child() == 0 else { throw SystemError(.run, "a child") }
    }

    private let socket: Int32
    private let kept: KeptDescriptors
    /// A lock that is held until there is an answer.
    private let asking = RecursiveLock()
    /// A lock that is held while a word is taken.
    private let taking = RecursiveLock()
    /// The answer to the word that a thread has said last.
    private let answer = Mutex<Awaited<eaves_word?>?>(nil)
    private let endings = Mutex<[Int32: Awaited<ChildEnding>]>([:])

    init(_ socket: Int32, handing kept: KeptDescriptors = .ofProcess) {
        (self.socket, self.kept) = (socket, kept)
    }

    /// Lets the waiter start further hosts, also after a crash of this one, and gives it copies of the descriptors on which
    /// this process takes calls.
    ///
    /// - Parameters:
    ///   - signals: Those that this host takes as words from now on.
    ///   - request: A function that gets such a signal first, and returns whether it has taken it.
    /// - Returns: The host that has crashed, and that this one was started for; `nil` if this host follows no other, or takes
    ///   over from one that serves.
    func begin(
        _ place: ProgramPlace, taking signals: [Int32],
        _ request: @escaping @Sendable (Int32) -> Bool
    ) throws(SystemError) -> (process: Int32, ending: ChildEnding)? {
        let own = kept.all
        var crashed: (Int32, ChildEnding)?
        // They were there before this process was.
        while isReadable, let said = receive() {
            if Int(said.word.kind) == eaves_word_follows {
                crashed = (said.word.process, ChildEnding(status: said.word.value))
            } else {
                take(said, request)
            }
        }
        try DetachedThread.start { [self] in listen(request) }
        kept.tell(self, of: own)
        try say(eaves_word_place, bytes: Array((place.path + "\0" + place.folder + "\0").utf8))
        for signal in signals { try say(eaves_word_listens, value: signal) }
        return crashed
    }

    /// Starts a host that takes over from this one.
    ///
    /// - Returns: The number of its process.
    func start(_ channel: Int32) throws(SystemError) -> Int32 {
        try ask(eaves_word_start, channel)
    }

    /// Lets another host get the signals from now on, and its end be that of the program. This one has got all that
    /// came before.
    ///
    /// - Throws: `SystemError` if the other host has ended. This one serves then.
    func serves(_ process: Int32) throws(SystemError) {
        _ = try ask(eaves_word_serves, process: process)
    }

    /// Sends a signal to another host, unless that has ended.
    func signal(_ number: Int32, to process: Int32) {
        // Without a waiter, this process ends, too.
        try? say(eaves_word_kill, process: process, value: number)
    }

    /// Lets the end of this process that follows be taken for a crash, whatever its exit code is.
    func tellCrash() { try? say(eaves_word_crashes) }

    /// The end of a host that this one has started.
    func ending(of process: Int32) -> Awaited<ChildEnding> {
        endings.withLock { endings in
            let ending = endings[process] ?? Awaited()
            endings[process] = ending
            return ending
        }
    }

    /// Keeps copies of descriptors for the hosts that follow this one. One that is about to take over has them when this
    /// returns, or ``settle()`` does there.
    func keep(_ named: KeptDescriptors.Named) {
        guard named.name.utf8.count <= Int(eaves_most_word_bytes) else { return }
        for descriptor in named.descriptors {
            // Without a waiter, nothing follows.
            _ = try? ask(eaves_word_keep, bytes: Array(named.name.utf8), descriptor)
        }
    }

    /// Waits until all words are taken that have come so far.
    func settle() {
        while taking.withLock({ isReadable }) { usleep(100) }
    }

    func drop(_ name: String) { try? say(eaves_word_drop, bytes: Array(name.utf8)) }

    // MARK: Words

    private typealias Said = (word: eaves_word, bytes: ArraySlice<UInt8>, descriptors: [Int32])

    private func listen(_ request: (Int32) -> Bool) {
        var isOpen = true
        while isOpen {
            // While it waits, the lock is free.
            _ = Pipe.isReadable(socket, within: -1)
            taking.withLock {
                guard isReadable else { return }
                guard let said = receive() else {
                    isOpen = false
                    return
                }
                take(said, request)
            }
        }
        // The waiter is gone, and the thread that asks it gets no answer.
        answer.withLock { $0.take() }?.set(nil)
    }

    private func take(_ said: Said, _ request: (Int32) -> Bool) {
        let word = said.word
        switch Int(word.kind) {
        case eaves_word_signal:
            if SignalPair.isSecond(word.value, from: word.process, isPassedOn: true) { return }
            if !request(word.value) { SignalListener.pass(word.value) }
        case eaves_word_ended:
            ending(of: word.process).set(ChildEnding(status: word.value))
        case eaves_word_started:
            // Another process had this number before, perhaps.
            endings.withLock { $0[word.process] = nil }
            answer.withLock { $0.take() }?.set(word)
        case eaves_word_known: answer.withLock { $0.take() }?.set(word)
        case eaves_word_kept:
            let name = String(decoding: said.bytes, as: UTF8.self)
            for descriptor in said.descriptors { kept.adopt(descriptor, named: name) }
        default: break
        }
    }

    /// - Returns: The process that the answer names.
    private func ask(
        _ kind: Int, process: Int32 = 0, bytes: [UInt8] = [], _ descriptor: Int32? = nil
    ) throws(SystemError) -> Int32 {
        try asking.withLock { () throws(SystemError) in
            let awaited = Awaited<eaves_word?>()
            answer.withLock { $0 = awaited }
            try say(kind, process: process, bytes: bytes, descriptor.map { [$0] } ?? [])
            let word = awaited.wait()
            guard let word, word.value == 0 else {
                throw SystemError(.run, "a fresh process", Errno(rawValue: word?.value ?? ESRCH))
            }
            return word.process
        }
    }

    private func say(
        _ kind: Int, process: Int32 = 0, value: Int32 = 0, bytes: [UInt8] = [],
        _ descriptors: [Int32] = []
    ) throws(SystemError) {
        let head = eaves_word(kind: Int32(kind), process: process, value: value)
        try LocalSocket.send(
            withUnsafeBytes(of: head) { Array($0) } + bytes, descriptors, to: socket)
    }

    /// The next word; `nil` if no more will come.
    private func receive() -> Said? {
        guard let (bytes, descriptors) = try? LocalSocket.receive(from: socket) else { return nil }
        let size = MemoryLayout<eaves_word>.size
        guard bytes.count >= size else { return nil }
        let word = bytes.withUnsafeBytes { $0.loadUnaligned(as: eaves_word.self) }
        return (word, bytes[size...], descriptors)
    }

    private var isReadable: Bool { Pipe.isReadable(socket, within: 0) }
}

/// A process that starts a fresh one for this one, and lets it serve. See ``Waiter`` for what each function does.
protocol HostStarter: Sendable {
    func start(_ channel: Int32) throws(SystemError) -> Int32
    func serves(_ process: Int32) throws(SystemError)
    func signal(_ number: Int32, to process: Int32)
    func ending(of process: Int32) -> Awaited<ChildEnding>
}
