// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Something that a person can launch by name.
public protocol Feature: Sendable {
    /// Runs the feature to its end.
    ///
    /// It begins on a thread of the concurrency runtime, as any task does. The main actor has the process's first
    /// thread.
    ///
    /// - Parameter launch: The arguments, and the console to read from and write to.
    /// - Returns: The exit code.
    /// - Throws: Any error that the feature does not handle itself. ``ConsoleError`` ends the
    ///   command as a failed input or output, ``UsageError`` as wrong arguments.
    func launch(_ launch: Launch) async throws -> ExitCode
}

/// The result of a feature, which becomes the exit code of `eaves launch`.
public struct ExitCode: RawRepresentable, Hashable, Sendable {
    /// The number that the process exits with; 0 means success.
    public let rawValue: UInt8

    /// Creates an exit code.
    ///
    /// - Parameter rawValue: 0 for success.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Creates an exit code.
    ///
    /// - Parameter code: 0 for success.
    public init(_ code: UInt8) {
        self.init(rawValue: code)
    }

    /// The feature did what it was asked to do: 0.
    public static let success = ExitCode(0)
    /// The feature ran correctly, and answers "no": 1.
    public static let failure = ExitCode(1)
}

/// The input of a feature: its arguments and its console.
public struct Launch: Sendable {
    /// The arguments that follow the feature's name on the command line.
    public var arguments: [String]
    /// The name that the feature was launched by; `nil` if it was not launched by a name.
    public var feature: String?
    /// The purpose of the feature in one line, from its `module.json`. May be empty.
    public var summary: String
    /// The console that the feature reads from and writes to.
    public var console: any Console

    /// Creates the input of a feature.
    ///
    /// - Parameters:
    ///   - arguments: The arguments that follow the feature's name.
    ///   - feature: The name that the feature is launched by; `nil` if it is not launched by a name.
    ///   - summary: The purpose of the feature in one line. May be empty.
    ///   - console: The console that the feature reads from and writes to.
    public init(
        arguments: [String] = [], feature: String? = nil, summary: String = "",
        console: any Console
    ) {
        self.arguments = arguments
        self.feature = feature
        self.summary = summary
        self.console = console
    }

    /// Parses the arguments: options, flags, and what is left over.
    ///
    /// ```swift
    /// // weather --unit f --brief Berlin Paris
    /// let (unit, isBrief, cities) = try launch.parse(
    ///     .option("--unit", "-u", default: "c", value: "UNIT", help: "c or f"),
    ///     .flag("--brief", help: "print one line"),
    ///     .arguments("CITY", help: "the cities to ask for"))
    /// ```
    ///
    /// Options and arguments may be mixed. Options are written as `--unit f` or `--unit=f`, with their
    /// letters as `-u f` or `-uf`; the letters of several flags may stand together, as in `-ab`. `--`
    /// ends the options. A single `-` and a number below zero are not options. If a word is not an option, the
    /// host's message names the options that are called like it.
    ///
    /// With `--help` or `-h`, this throws a ``HelpRequest``, unless a parameter has that name itself:
    /// let it pass, so that the host prints the help, which is made of the parameters and of the
    /// feature's summary. Call this before the feature does its work.
    ///
    /// - Parameter parameters: Everything that the feature takes. A name that occurs twice, or that
    ///   cannot be written on a command line, ends the process with the reason.
    /// - Returns: A value for each of the parameters, in their order.
    /// - Throws: ``UsageError`` for an option that is unknown, for a value that is missing or has the
    ///   wrong form, and for too few or too many arguments; ``HelpRequest`` if help is asked for.
    public func parse<each Value>(
        _ parameters: repeat LaunchParameter<each Value>
    ) throws -> (repeat each Value) {
        var declarations: [LaunchDeclaration] = []
        for parameter in repeat each parameters { declarations.append(parameter.declaration) }
        let parser = LaunchParser(declarations, feature: feature, summary: summary)
        var found = try parser.parse(arguments)[...]
        // The expansion visits the parameters in their order, and so do the texts.
        return (repeat try (each parameters).value(of: found.removeFirst()))
    }
}

/// An error that a feature throws when it cannot use its arguments.
public struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text that is shown to the person who typed the arguments.
    public let description: String
    /// The way to mend it, for the person; `nil` if the text says everything.
    public let fix: String?
    /// The word that nothing is called; `nil` if the error is another one.
    package let unknown: String?
    /// The words that it may stand for.
    package let known: [String]

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - description: The mistake, for the person who typed the arguments.
    ///   - fix: The way to mend it, for the person; `nil` if the text says everything.
    public init(_ description: String, fix: String? = nil) {
        self.init(description, fix: fix, unknown: nil, known: [])
    }

    /// Creates an error about a word that nothing is called. The host adds what is called like it.
    package init(_ description: String, fix: String?, unknown: String?, known: [String]) {
        self.description = description
        self.fix = fix
        self.unknown = unknown
        self.known = known
    }
}

/// The person asks for help.
///
/// ``Launch/parse(_:)`` throws it. The host prints its text, and ends with the exit code 0.
public struct HelpRequest: Error, Hashable, Sendable, CustomStringConvertible {
    /// The help: lines of text, with a line break at the end.
    public let description: String

    /// Creates a request, for a feature that writes its help itself.
    ///
    /// - Parameter text: The help: lines of text, with a line break at the end.
    public init(_ text: String) {
        description = text
    }
}
