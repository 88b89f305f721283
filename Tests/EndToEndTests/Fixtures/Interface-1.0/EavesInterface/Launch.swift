// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What a feature is given when it is launched.
public struct Launch: Sendable {
    /// What stood behind the feature's name on the command line.
    public var arguments: [String]
    /// Where to read and write.
    public var console: any Console

    /// - Parameters:
    ///   - arguments: What stood behind the feature's name.
    ///   - console: Where to read and write.
    public init(arguments: [String] = [], console: any Console) {
        self.arguments = arguments
        self.console = console
    }

    /// The value behind an option, as in `--name Alice` or `--name=Alice`; the last one counts.
    ///
    /// - Parameter option: The option with its dashes.
    /// - Throws: ``UsageError`` if nothing stands behind it.
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
