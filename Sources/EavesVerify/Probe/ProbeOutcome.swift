// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// All that is known of a probe that ended.
struct ProbeOutcome: Sendable {
    var events: [ProbeEvent] = []
    /// What the crash handler wrote, line by line.
    var report: [String] = []
    var ending = ChildEnding.exited(0)
    /// It was ended, because a check took too long.
    var isOverdue = false
    /// All that it printed.
    var output: [UInt8] = []

    /// Takes a line of its results.
    mutating func take(_ line: ArraySlice<UInt8>) {
        if let event = ProbeEvent(line) {
            // The question itself can wake it: what it does then is too late.
            if !isOverdue { events.append(event) }
        } else if !line.isEmpty {
            report.append(String(decoding: line, as: UTF8.self))
        }
    }

    /// Whether somebody has told what it is doing.
    var hasAnswered: Bool { report.contains("end") }

    /// The check that was under way when it ended, and how much had been printed before.
    var pending: (id: String, printed: Int)? {
        guard case .started(let id, let printed) = events.last else { return nil }
        return (id, printed)
    }

    /// A part of what it printed, cut where it is long.
    func printed(from start: Int, to end: Int) -> [UInt8] {
        let start = min(start, output.count)
        return Array(output[start..<max(start, min(end, output.count))].prefix(Self.outputLimit))
    }

    /// In bytes.
    private static let outputLimit = 16 << 10

    /// How it died.
    ///
    /// - Parameters:
    ///   - limit: The time that a check had.
    ///   - originals: The files of modules by id.
    func death(limit: Duration, originals: [String: String]) -> ProbeDeath {
        let cause: ProbeDeath.Cause =
            if isOverdue {
                .overdue(limit)
            } else {
                switch ending {
                case .exited(let code): .exit(code)
                case .signalled(let number): .signal(number)
                }
            }
        // Of several threads, the first that told.
        let lines = report.prefix { $0 != "end" }
        return ProbeDeath(
            cause: cause, frames: lines.compactMap { ProbeFrame($0, originals: originals) })
    }
}
