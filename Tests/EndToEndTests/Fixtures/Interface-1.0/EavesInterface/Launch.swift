// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The input of a feature: its arguments and its console.
public struct Launch: Sendable {
    /// The arguments that follow the feature's name on the command line.
    public var arguments: [String]
    /// The console that the feature reads from and writes to.
    public var console: any Console

    /// Creates the input of a feature.
    ///
    /// - Parameters:
    ///   - arguments: The arguments that follow the feature's name.
    ///   - console: The console that the feature reads from and writes to.
    public init(arguments: [String] = [], console: any Console) {
        self.arguments = arguments
        self.console = console
    }

    /// Returns the value of an option that is given as `--name Alice` or `--name=Alice`.
    ///
    /// If the option is given more than once, the last value counts. Arguments after `--` are not
    /// searched.
    ///
    /// - Parameter option: The option with its dashes.
    /// - Returns: The value, or `nil` if the option is not given.
    /// - Throws: ``UsageError`` if no value follows the option.
    public func value(of option: String) throws(UsageError) -> String? {
        var found: String?
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" { break }
            if argument == option {
                guard let value = rest.popFirst() else {
                    throw UsageError("option '\(option)' needs a value")
                }
                found = value
            } else if argument.hasPrefix(option + "=") {
                found = String(argument.dropFirst(option.count + 1))
            }
        }
        return found
    }
}

/// An error that a feature throws when it cannot use its arguments.
public struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text that is shown to the person who typed the arguments.
    public let description: String

    /// Creates an error.
    ///
    /// - Parameter description: What is wrong, for the person who typed the arguments.
    public init(_ description: String) {
        self.description = description
    }
}
