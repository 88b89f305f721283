// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem

/// Everything that the verifying process knows of a probe that ended.
struct ProbeOutcome: Sendable {
    var events: [ProbeEvent] = []
    /// The lines that the crash handler wrote.
    var report: [String] = []
    var ending = ChildEnding.exited(0)
    /// Whether it was ended because a check took too long.
    var isOverdue = false
    /// The bytes that it printed.
    var output: [UInt8] = []

    /// Adds a line of its results.
    mutating func take(_ line: ArraySlice<UInt8>) {
        if let event = ProbeEvent(line) {
            // The question itself can wake the process, and then it is too late for its answers.
            if !isOverdue { events.append(event) }
        } else if !line.isEmpty {
            report.append(String(decoding: line, as: UTF8.self))
        }
    }

    /// Whether the crash handler has reported which code was running.
    var hasAnswered: Bool { report.contains("end") }

    /// The check that was running when it ended, and the number of bytes printed before.
    var pending: (id: String, printed: Int)? {
        guard case .started(let id, let printed) = events.last else { return nil }
        return (id, printed)
    }

    /// A part of its output, cut if it is long.
    func printed(from start: Int, to end: Int) -> [UInt8] {
        let start = min(start, output.count)
        return Array(output[start..<max(start, min(end, output.count))].prefix(Self.outputLimit))
    }

    /// The longest part of the output that is reported, in bytes.
    private static let outputLimit = 16 << 10

    /// The cause of its death, and the functions that were running.
    ///
    /// - Parameters:
    ///   - limit: The time that a check may take.
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
        // If several threads have reported, the first one counts.
        let lines = report.prefix { $0 != "end" }
        return ProbeDeath(
            cause: cause, frames: lines.compactMap { ProbeFrame($0, originals: originals) },
            blame: hasAnswered ? Self.blame(in: lines) : .unknown)
    }

    private static func blame(in lines: ArraySlice<String>) -> ProbeDeath.Blame {
        let line = lines.first { $0.hasPrefix("blame ") }
        return line.map { .module(String($0.dropFirst("blame ".count))) } ?? .nobody
    }
}

/// One event that the probe reports, as a line of JSON.
enum ProbeEvent: Hashable, Sendable {
    /// A check begins, after this many bytes have been printed.
    case started(String, printed: Int)
    /// A check has ended, after this many bytes have been printed.
    case finished(String, CheckConclusion, printed: Int)

    /// - Returns: `nil` if the line is not one that ``json`` makes.
    init?(_ line: some Collection<UInt8>) {
        guard let root = try? JSONNode.parse(Array(line)),
            let printed = root["printed"]?.integer
        else { return nil }
        if let check = root["started"]?.string {
            self = .started(check, printed: printed)
            return
        }
        guard let check = root["finished"]?.string, let conclusion = CheckConclusion(root) else {
            return nil
        }
        self = .finished(check, conclusion, printed: printed)
    }

    var json: String {
        switch self {
        case .started(let check, let printed):
            let json: JSON = ["started": .string(check), "printed": .integer(printed)]
            return json.text(pretty: false)
        case .finished(let check, let conclusion, let printed):
            let start: [JSON.Member] = [
                JSON.Member(name: "finished", value: .string(check)),
                JSON.Member(name: "printed", value: .integer(printed)),
            ]
            return JSON.object(start + conclusion.members).text(pretty: false)
        }
    }
}
