// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The settings of one module: the object `settings` of its entry in the manifest.
public struct Settings: Sendable {
    /// A JSON value.
    public enum Value: Hashable, Sendable {
        case null
        case bool(Bool)
        case number(Double)
        case string(String)
        case list([Value])
        case table([String: Value])
    }

    private let values: [String: Value]
    private let directory: String

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - values: The values by name.
    ///   - directory: The folder that relative paths start from: the manifest's folder.
    public init(_ values: [String: Value] = [:], directory: String = ".") {
        self.values = values
        self.directory = directory
    }

    /// The value of a setting, or `nil` if the manifest does not set it.
    public subscript(name: String) -> Value? { values[name] }

    /// Returns a setting that is a string, or `nil` if the manifest does not set it.
    ///
    /// - Throws: ``SettingsError`` if the value has another type.
    public func string(_ name: String) throws(SettingsError) -> String? {
        switch values[name] {
        case nil: nil
        case .string(let text): text
        case let value?: throw SettingsError(name, expected: "a string", found: value)
        }
    }

    /// Returns a setting that is a number, or `nil` if the manifest does not set it.
    ///
    /// - Throws: ``SettingsError`` if the value has another type.
    public func number(_ name: String) throws(SettingsError) -> Double? {
        switch values[name] {
        case nil: nil
        case .number(let number): number
        case let value?: throw SettingsError(name, expected: "a number", found: value)
        }
    }

    /// Returns a setting that is true or false, or `nil` if the manifest does not set it.
    ///
    /// - Throws: ``SettingsError`` if the value has another type.
    public func bool(_ name: String) throws(SettingsError) -> Bool? {
        switch values[name] {
        case nil: nil
        case .bool(let bool): bool
        case let value?: throw SettingsError(name, expected: "true or false", found: value)
        }
    }

    /// Returns a setting that is a path, or `nil` if the manifest does not set it.
    ///
    /// A relative path starts from the manifest's folder.
    ///
    /// - Throws: ``SettingsError`` if the value is not a string.
    public func path(_ name: String) throws(SettingsError) -> String? {
        try string(name).map(path(relative:))
    }

    /// Returns a path that the module chooses itself; a relative one starts from the manifest's
    /// folder.
    public func path(relative path: String) -> String {
        path.hasPrefix("/") ? path : directory + "/" + path
    }
}

/// A setting has another type than the module expects.
public struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The setting, the expected type and the type that was found.
    public let description: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - name: The setting's name.
    ///   - expected: The type that the module expects, in words.
    ///   - found: The value in the manifest.
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
