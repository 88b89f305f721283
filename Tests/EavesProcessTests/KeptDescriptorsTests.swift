// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesSystem
import EavesTestSupport
import Glibc
import Synchronization
import Testing

@testable import EavesProcess

@Suite("The descriptors that a host keeps", .onOwnThreads)
struct KeptDescriptorsTests {
    private let kept = KeptDescriptors(variable: { _ in nil })

    @Test("are made once, and each caller gets a copy that it may close")
    func copies() throws {
        let first = try kept.descriptor(named: "http") { try TemporaryDescriptor.make("web") }
        #expect(TemporaryDescriptor.text(of: first) == "web")
        close(first)
        let second = try kept.descriptor(named: "http") {
            Issue.record("made twice")
            return -1
        }
        #expect(TemporaryDescriptor.text(of: second) == "web")
        #expect(fcntl(second, F_GETFD) == FD_CLOEXEC)
        close(second)
        #expect(kept.all.map(\.name) == ["http"])
        kept.drop("http")
        #expect(kept.all.isEmpty)
    }

    @Test("stay while a fresh process takes over, and can be dropped if that has failed")
    func handingOver() throws {
        close(try kept.descriptor(named: "http") { try TemporaryDescriptor.make("web") })
        let isHandingOver = Atomic(true)
        kept.keepAll { isHandingOver.load(ordering: .relaxed) }
        kept.drop("http")
        #expect(kept.all.map(\.name) == ["http"])
        isHandingOver.store(false, ordering: .relaxed)
        kept.drop("http")
        #expect(kept.all.isEmpty)
    }

    @Test("wait for the process before, whoever asks for them, and whether it has them or not")
    func withheld() throws {
        kept.adopt(try TemporaryDescriptor.make("web"), named: "http")
        kept.withhold()
        let awaited = Awaited<Bool>()
        kept.whenAwaited { awaited.set(true) }
        let texts = Mutex<[String?]>([])
        let ended = [Awaited<Bool>(), Awaited<Bool>()]
        for (name, end) in zip(["http", "other"], ended) {
            try DetachedThread.start { [kept] in
                let made = try? kept.descriptor(named: name) { try TemporaryDescriptor.make(name) }
                texts.withLock { $0.append(made.map(TemporaryDescriptor.text)) }
                end.set(true)
            }
        }
        #expect(awaited.wait(within: Patience.limit) == true)
        // Also for somebody who asks when they wait already.
        let again = Awaited<Bool>()
        kept.whenAwaited { again.set(true) }
        #expect(again.wait(within: Patience.limit) == true)
        #expect(texts.withLock { $0 } == [])
        kept.release()
        for end in ended { #expect(end.wait(within: Patience.limit) == true) }
        #expect(Set(texts.withLock { $0 }) == ["web", "other"])
        close(try kept.descriptor(named: "http") { -1 })
    }

    @Test("are nobody's if the process before keeps them, and that is said")
    func refused() throws {
        kept.adopt(try TemporaryDescriptor.make("web"), named: "http")
        kept.withhold()
        kept.release(because: "no state")
        for _ in 0..<2 {
            let error = #expect(throws: ListenersError.self) {
                try kept.descriptor(named: "http") { -1 }
            }
            #expect("\(error, default: "")".contains("no state"))
        }
    }

    @Test("are not kept if making them fails, or makes nothing")
    func failure() throws {
        #expect(throws: UsageError("no port")) {
            try kept.descriptor(named: "http") { throw UsageError("no port") }
        }
        #expect(throws: ListenersError.self) { try kept.descriptor(named: "http") { -1 } }
        #expect(kept.all.isEmpty)
        let made = try kept.descriptor(named: "http") { try TemporaryDescriptor.make("web") }
        close(made)
        kept.drop("http")
    }

    @Test("of the process before come under their names, and one is taken without the others")
    func adopted() throws {
        let pipe = try #require(Pipe())
        defer { close(pipe.readEnd) }
        for text in ["4", "6"] { kept.adopt(try TemporaryDescriptor.make(text), named: "http") }
        kept.adopt(pipe.writeEnd, named: "http")
        let all = try kept.descriptors(named: "http") { [] }
        #expect(all.prefix(2).map(TemporaryDescriptor.text) == ["4", "6"])
        let first = try kept.descriptor(named: "http") { -1 }
        #expect(TemporaryDescriptor.text(of: first) == "4")
        (all + [first]).forEach { close($0) }
        kept.drop("http")
        #expect(Pipe.isReadable(pipe.readEnd, within: 10_000), "the end of the pipe")
    }

    @Test("for another process in the environment are left alone")
    func othersEnvironment() {
        let kept = KeptDescriptors { name in
            ["LISTEN_PID": "1", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "a:b"][name]
        }
        #expect(kept.all.isEmpty)
    }

    @Test("the first 'ready' is told, and a later one as well to who asks later")
    func ready() {
        let count = Mutex(0)
        #expect(!kept.isReady)
        kept.whenReady { count.withLock { $0 += 1 } }
        kept.ready()
        kept.ready()
        #expect(count.withLock { $0 } == 1)
        kept.whenReady { count.withLock { $0 += 1 } }
        #expect(count.withLock { $0 } == 2)
        #expect(kept.isReady)
    }

    @Test("let a feature that says that it is ready wait for its turn, once")
    func turn() throws {
        kept.holdReady()
        let (told, returned) = (Awaited<Bool>(), Awaited<Bool>())
        kept.whenReady { told.set(true) }
        try DetachedThread.start { [kept] in
            kept.ready()
            returned.set(true)
        }
        #expect(told.wait(within: Patience.limit) == true)
        #expect(returned.wait(within: .milliseconds(20)) == nil)
        kept.releaseReady()
        #expect(returned.wait(within: Patience.limit) == true)
        kept.ready()
    }
}

/// An open file with a text and no name.
private enum TemporaryDescriptor {
    static func make(_ text: String) throws -> Int32 {
        let folder = try TemporaryFolder()
        let path = try folder.write(text, to: "file")
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(.open, path) }
        return descriptor
    }

    static func text(of descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
