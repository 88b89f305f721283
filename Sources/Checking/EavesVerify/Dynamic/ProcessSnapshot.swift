// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesProcess
import EavesSystem
import Glibc

/// A snapshot of the state that all code of a process shares, taken by the process itself. Only its own code can
/// see the locale, the environment and the addresses of handlers.
struct ProcessSnapshot {
    let directory: String
    let fileMask: UInt32
    let locale: String
    let environment: Set<String>
    /// The handler of each signal: an address, and flags.
    let signals: [Int32: [Int]]

    init() {
        directory = Path.current
        fileMask = umask(0)
        umask(fileMask)
        locale = setlocale(LC_ALL, nil).map { String(cString: $0) } ?? ""
        environment = Set(Environment.current.entries)
        signals = Dictionary(uniqueKeysWithValues: (1...31).map { ($0, Self.handler(of: $0)) })
    }

    /// The differences to a later snapshot, in words.
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

    private static func handler(of signal: Int32) -> [Int] {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return [] }
        // SAFETY: the address is compared and never called; SIG_DFL and SIG_IGN are small numbers.
        let address = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        return [address, Int(action.sa_flags)]
    }
}
