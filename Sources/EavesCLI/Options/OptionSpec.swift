// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// An option of a subcommand.
struct OptionSpec: Sendable {
    /// The long name, without dashes.
    let long: String
    let short: Character?
    /// What stands for the value in help; `nil` if it takes none.
    let value: String?
    let help: String

    init(_ long: String, short: Character? = nil, value: String? = nil, help: String) {
        self.long = long
        self.short = short
        self.value = value
        self.help = help
    }

    static let manifest = OptionSpec(
        "manifest", value: "PATH", help: "the manifest; else the nearest manifest.json upwards")
    static let json = OptionSpec("json", help: "print one JSON object")
    static let verbose = OptionSpec("verbose", short: "v", help: "say what is being done")
    static let help = OptionSpec("help", short: "h", help: "show this help")
}
