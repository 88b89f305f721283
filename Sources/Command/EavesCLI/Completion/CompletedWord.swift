// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The things that an operand can be, or the value of an option, so that a shell can complete it. Files are completed by the shell.
enum CompletedWord: Hashable, Sendable {
    case command
    case feature
    case module
    case interface
    /// A service, as `swap` takes it.
    case service
    /// A module that provides the service of the operand before it.
    case provider
    case oneOf([String])
    case file
}

/// A word that may be typed, and what it stands for.
struct Candidate: Hashable, Sendable {
    let word: String
    /// One line; may be empty.
    let summary: String

    init(_ word: String, _ summary: String = "") {
        self.word = word
        self.summary = summary
    }
}

/// A command, as far as completion goes.
struct CompletedCommand: Sendable {
    let name: String
    let summary: String
    let options: [OptionSpec]
    /// For each operand. Further ones are completed as the last one, if that repeats.
    let operands: [CompletedWord]
    let repeats: Bool
    /// Whether the words after the first operand are none of the command's options.
    let stopsAtOperand: Bool

    init(
        name: String, summary: String = "", options: [OptionSpec] = [],
        operands: [CompletedWord] = [], repeats: Bool = false, stopsAtOperand: Bool = false
    ) {
        self.name = name
        self.summary = summary
        self.options = options
        self.operands = operands
        self.repeats = repeats
        self.stopsAtOperand = stopsAtOperand
    }

    init(_ subcommand: Subcommand) {
        self.init(
            name: subcommand.name, summary: subcommand.summary,
            options: subcommand.options + [.help],
            operands: subcommand.completed,
            repeats: subcommand.operandCount.upperBound == Int.max && !subcommand.stopsAtOperand,
            stopsAtOperand: subcommand.stopsAtOperand)
    }

    /// The kind of word that an operand is.
    func operand(_ index: Int) -> CompletedWord? {
        operands.indices.contains(index) ? operands[index] : repeats ? operands.last : nil
    }
}
