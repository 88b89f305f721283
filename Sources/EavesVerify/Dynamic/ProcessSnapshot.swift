// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc

/// A snapshot of the state that all code of a process shares.
struct ProcessSnapshot {
    /// An open file, pipe or the like.
    struct Descriptor {
        /// Device and inode. The name of a file can change, and `(deleted)` can be appended to it.
        let identity: [UInt64]
        /// The path that it leads to, for messages.
        let target: String

        init?(_ link: String) {
            guard let status = try? FileStatus(path: link),
                let target = ProcessSnapshot.target(of: link)
            else { return nil }
            identity = [status.device, status.inode]
            self.target = target
        }
    }

    /// The identifiers of the threads.
    let threads: Set<String>
    /// The open descriptors by number.
    let descriptors: [String: Descriptor]
    let directory: String
    let fileMask: UInt32
    let locale: String
    let environment: Set<String>
    /// The handler of each signal: an address, and flags.
    let signals: [Int32: [Int]]

    init() {
        threads = Self.names(in: "/proc/self/task")
        var descriptors: [String: Descriptor] = [:]
        for name in Self.names(in: "/proc/self/fd") {
            // The descriptor from which this list was read is closed by now, so it is left out.
            descriptors[name] = Descriptor("/proc/self/fd/\(name)")
        }
        self.descriptors = descriptors
        directory = Path.current
        fileMask = umask(0)
        umask(fileMask)
        locale = setlocale(LC_ALL, nil).map { String(cString: $0) } ?? ""
        environment = Set(Environment.current.entries)
        signals = Dictionary(uniqueKeysWithValues: (1...31).map { ($0, Self.handler(of: $0)) })
    }

    /// The differences to a later snapshot, in words. Threads and descriptors are not compared.
    func changes(to now: ProcessSnapshot) -> [String] {
        var changes: [String] = []
        if now.directory != directory {
            changes.append("the working directory (\(directory) → \(now.directory))")
        }
        if now.fileMask != fileMask {
            changes.append(
                "the umask (\(String(fileMask, radix: 8)) → \(String(now.fileMask, radix: 8)))")
        }
        if now.locale != locale { changes.append("the locale (\(locale) → \(now.locale))") }
        let names = Set(
            now.environment.symmetricDifference(environment).map { $0.prefix { $0 != "=" } })
        if !names.isEmpty {
            changes.append("the environment (\(names.sorted().joined(separator: ", ")))")
        }
        let handlers = signals.keys.filter { signals[$0] != now.signals[$0] }
        if !handlers.isEmpty {
            let list = handlers.sorted().map(SignalName.of).joined(separator: ", ")
            changes.append("the handling of \(list)")
        }
        return changes
    }

    private static func names(in folder: String) -> Set<String> {
        // Without /proc there is nothing to compare, and nothing differs.
        Set((try? Folder(folder))?.entries.map(\.name) ?? [])
    }

    private static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink(link, &buffer, buffer.count)
        guard count >= 0 else { return nil }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func handler(of signal: Int32) -> [Int] {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return [] }
        // SAFETY: the address is compared and never called; SIG_DFL and SIG_IGN are small numbers.
        let address = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        return [address, Int(action.sa_flags)]
    }
}
