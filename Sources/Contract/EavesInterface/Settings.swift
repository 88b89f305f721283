// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The settings of one module: the object `settings` of its entry in the manifest.
public struct Settings: Sendable {
    /// A JSON value.
    public enum Value: Hashable, Sendable {
        case null
        case bool(Bool)
        /// A number. If it is written with a fraction or an exponent, it is the nearest `Double`.
        case number(Double)
        /// A number of which a `Double` would make another one, such as 9007199254740993: as the manifest has it.
        case digits(String)
        case string(String)
        case list([Value])
        case table([String: Value])
    }

    private let values: [String: Value]
    private let directory: String
    /// A function that makes the JSON object for modules in C, with all numbers as in the manifest.
    package var text: @Sendable () -> String = { "{}" }
    /// The places of the values in the manifest, such as `manifest.json:3:14`, by their names.
    package var places: [String: String] = [:]

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
        try value(name, "a string") { if case .string(let text) = $0 { text } else { nil } }
    }

    /// Returns a setting that is a number, or `nil` if the manifest does not set it.
    ///
    /// A number with a fraction or an exponent is rounded to the nearest `Double`. A whole number is never rounded.
    ///
    /// - Throws: ``SettingsError`` if the value has another type, or is a whole number that a `Double` does not hold.
    public func number(_ name: String) throws(SettingsError) -> Double? {
        try value(name, "a number that a Double holds") {
            switch $0 {
            case .number(let number): number
            case .digits(let text) where text.contains { ".eE".contains($0) }: Double(text)
            default: nil
            }
        }
    }

    /// Returns a setting that is a whole number, also if it is written as `1.0` or `1e2`, or `nil` if the manifest does
    /// not set it.
    ///
    /// - Throws: ``SettingsError`` if the value has another type, has a fraction, or does not fit into an `Int`.
    public func integer(_ name: String) throws(SettingsError) -> Int? {
        try value(name, "a whole number from \(Int.min) to \(Int.max)") {
            switch $0 {
            case .number(let number): Int(exactly: number)
            case .digits(let text): Int(text)
            default: nil
            }
        }
    }

    /// Returns a setting that is true or false, or `nil` if the manifest does not set it.
    ///
    /// - Throws: ``SettingsError`` if the value has another type.
    public func bool(_ name: String) throws(SettingsError) -> Bool? {
        try value(name, "true or false") { if case .bool(let bool) = $0 { bool } else { nil } }
    }

    /// Returns a setting that is a path, or `nil` if the manifest does not set it.
    ///
    /// A relative path starts from the manifest's folder.
    ///
    /// - Throws: ``SettingsError`` if the value is not a string.
    public func path(_ name: String) throws(SettingsError) -> String? {
        try string(name).map(path(relative:))
    }

    /// Returns a path that the module chooses itself; a relative one starts from the manifest's folder.
    public func path(relative path: String) -> String {
        path.hasPrefix("/") ? path : directory + "/" + path
    }

    private func value<Wanted>(
        _ name: String, _ expected: @autoclosure () -> String, _ get: (Value) -> Wanted?
    ) throws(SettingsError) -> Wanted? {
        guard let found = values[name] else { return nil }
        if let wanted = get(found) { return wanted }
        throw SettingsError(name, expected: expected(), found: found, at: places[name])
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
        self.init(name, expected: expected, found: found, at: nil)
    }

    /// Creates an error about a value at a place of the manifest, if that is known.
    fileprivate init(_ name: String, expected: String, found: Settings.Value, at place: String?) {
        let kind =
            switch found {
            case .null: "null"
            case .bool: "true or false"
            case .number(let number): Int128(exactly: number).map { "\($0)" } ?? "\(number)"
            case .digits(let text): text
            case .string: "a string"
            case .list: "a list"
            case .table: "a table"
            }
        description =
            (place.map { $0 + ": " } ?? "")
            + "setting '\(name)': expected \(expected), found \(kind)"
    }
}
