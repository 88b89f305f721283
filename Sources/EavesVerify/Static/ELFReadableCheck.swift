// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF
import EavesCatalog
import EavesSystem

/// Says what the reader of the file says, but for files of other machines.
enum ELFReadableCheck: StaticCheck {
    static let id = "elf-readable"
    static let meaning = "the file is there, and is a whole shared object"

    static func run(_ subject: Subject) -> Finding {
        // What was never built says so better than a missing file.
        if let problem = subject.entry.problem, problem.state == .missing {
            return subject.finding(problem)
        }
        switch subject.view {
        case .success, .failure(.wrongClass), .failure(.wrongByteOrder): return .passed
        case .failure(let problem): return subject.finding(.binary(problem))
        }
    }
}
