// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The children that run at one time and what they have written so far.
struct ChildLoop<Tag> {
    private struct Entry {
        var tag: Tag
        var child: ChildProcess
        var output: [UInt8] = []
        var isOutputCut = false
    }

    private let interrupts: Interrupts?
    private let outputLimit: Int
    private var entries: [Entry] = []
    /// When those that did not end at the first asking are killed.
    private var deadline: ContinuousClock.Instant?

    /// How often to look whether a child has ended whose pipe is still held open by a process that
    /// it left behind. In milliseconds.
    private static var patience: Int32 { 250 }
    private static var pieceSize: Int { 64 << 10 }

    init(interrupts: Interrupts?, outputLimit: Int) {
        self.interrupts = interrupts
        self.outputLimit = outputLimit
    }

    var count: Int { entries.count }

    mutating func add(_ tag: Tag, _ child: ChildProcess) {
        entries.append(Entry(tag: tag, child: child))
    }

    /// Waits until something happens, reads what there is, and gives the children that ended.
    mutating func turn() -> [(Tag, ChildReport)] {
        let ready = wait()
        if interrupts?.signal != nil { endAll() }
        var finished: [(Tag, ChildReport)] = []
        var running: [Entry] = []
        for (index, var entry) in entries.enumerated() {
            let isAtEnd = ready[index] && !read(into: &entry)
            if let ending = entry.child.poll(waits: isAtEnd) {
                while Self.isReadable(entry.child.outputDescriptor), read(into: &entry) {}
                let report = ChildReport(
                    ending: ending, output: entry.output, isOutputCut: entry.isOutputCut,
                    duration: entry.child.started.duration(to: .now))
                finished.append((entry.tag, report))
            } else {
                running.append(entry)
            }
        }
        entries = running
        return finished
    }

    /// Which of the children have something to read or have closed their end.
    private func wait() -> [Bool] {
        var watched = entries.map {
            pollfd(fd: $0.child.outputDescriptor, events: Int16(POLLIN), revents: 0)
        }
        // After a signal the descriptor stays readable: from then on, time alone wakes us.
        if let interrupts, interrupts.signal == nil {
            watched.append(pollfd(fd: interrupts.descriptor, events: Int16(POLLIN), revents: 0))
        }
        let count = poll(&watched, nfds_t(watched.count), Self.patience)
        return watched.prefix(entries.count).map { count > 0 && $0.revents != 0 }
    }

    /// Asks all children to end, and kills them when they have not after a while.
    private mutating func endAll() {
        if let deadline {
            if .now > deadline { for entry in entries { entry.child.signal(SIGKILL) } }
        } else {
            deadline = .now + .seconds(2)
            for entry in entries { entry.child.signal(SIGTERM) }
        }
    }

    /// Reads one piece; `false` at the end of the pipe.
    private func read(into entry: inout Entry) -> Bool {
        var count = 0
        let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, filled in
            count = Glibc.read(entry.child.outputDescriptor, buffer.baseAddress, buffer.count)
            filled = max(0, count)
        }
        if count < 0 { return errno == EINTR }
        let room = outputLimit - entry.output.count
        entry.output += piece.prefix(room)
        if count > room { entry.isOutputCut = true }
        return count > 0
    }

    private static func isReadable(_ descriptor: Int32) -> Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&watched, 1, 0) > 0 && watched.revents & Int16(POLLIN) != 0
    }
}
