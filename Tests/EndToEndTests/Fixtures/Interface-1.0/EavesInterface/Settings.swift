// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What the manifest sets for a module, under `settings`.
public struct Settings: Sendable {
    /// A value as JSON knows them.
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

    /// - Parameters:
    ///   - values: The values by name.
    ///   - directory: What relative paths start from: the manifest's folder.
    public init(_ values: [String: Value] = [:], directory: String = ".") {
        self.values = values
        self.directory = directory
    }

    /// The value of that name, if one is set.
    public subscript(name: String) -> Value? { values[name] }

    /// The text of that name; `nil` if it is not set.
    ///
    /// - Throws: ``SettingsError`` if it is set to something else.
    public func string(_ name: String) throws(SettingsError) -> String? {
        switch values[name] {
        case nil: nil
        case .string(let text): text
        case let value?: throw SettingsError(name, expected: "a string", found: value)
        }
    }

    /// The number of that name; `nil` if it is not set.
    ///
    /// - Throws: ``SettingsError`` if it is set to something else.
    public func number(_ name: String) throws(SettingsError) -> Double? {
        switch values[name] {
        case nil: nil
        case .number(let number): number
        case let value?: throw SettingsError(name, expected: "a number", found: value)
        }
    }

    /// The truth value of that name; `nil` if it is not set.
    ///
    /// - Throws: ``SettingsError`` if it is set to something else.
    public func bool(_ name: String) throws(SettingsError) -> Bool? {
        switch values[name] {
        case nil: nil
        case .bool(let bool): bool
        case let value?: throw SettingsError(name, expected: "true or false", found: value)
        }
    }

    /// The path of that name, seen from the manifest's folder; `nil` if it is not set.
    ///
    /// - Throws: ``SettingsError`` if it is set to something else than a string.
    public func path(_ name: String) throws(SettingsError) -> String? {
        try string(name).map(path(relative:))
    }

    /// A path of the module's own choice, seen from the manifest's folder.
    public func path(relative path: String) -> String {
        path.hasPrefix("/") ? path : directory + "/" + path
    }
}
