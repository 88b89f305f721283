// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What the options of a command line say.
struct ParsedOptions: Sendable {
    /// The values by the option's long name, in order; empty texts for options without a value.
    var values: [String: [String]] = [:]
    /// What stands behind the options.
    var operands: [String] = []

    func has(_ option: OptionSpec) -> Bool { values[option.long] != nil }

    /// The values of an option that may be given several times.
    func allValues(_ option: OptionSpec) -> [String] { values[option.long] ?? [] }

    /// The value of an option; the last one counts.
    func value(_ option: OptionSpec) -> String? { values[option.long]?.last }
}
