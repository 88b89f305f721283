// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A setting of the manifest has another type than the module expects.
public struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Setting, expected and found, in words.
    public let description: String

    /// - Parameters:
    ///   - name: The setting's name.
    ///   - expected: What the module expects, in words.
    ///   - found: What is set.
    public init(_ name: String, expected: String, found: Settings.Value) {
        let kind =
            switch found {
            case .null: "null"
            case .bool: "true or false"
            case .number: "a number"
            case .string: "a string"
            case .list: "a list"
            case .table: "a table"
            }
        description = "setting '\(name)': expected \(expected), found \(kind)"
    }
}
