// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// An option, a flag or an argument that a feature takes, for ``Launch/parse(_:)``.
public struct LaunchParameter<Value: Sendable>: Sendable {
    let declaration: LaunchDeclaration
    private let convert: @Sendable ([String]) -> Value?

    /// - Parameter convert: A function to the value from the texts that the person has given; there are none if
    ///   the parameter is left out. `nil` if the last text has the wrong form.
    fileprivate init(
        _ declaration: LaunchDeclaration, convert: @escaping @Sendable ([String]) -> Value?
    ) {
        self.declaration = declaration
        self.convert = convert
    }

    func value(of texts: [String]) throws(UsageError) -> Value {
        if let value = convert(texts) { return value }
        throw UsageError(
            "option '\(declaration.name)' expects \(declaration.form), found '\(texts.last ?? "")'",
            fix: LaunchParser.advice)
    }
}

extension LaunchParameter where Value == Bool {
    /// An option without a value; true if it is given.
    ///
    /// - Parameters:
    ///   - name: The name with its dashes, such as `--brief`.
    ///   - short: The short form, such as `-b`; `nil` if there is none.
    ///   - help: One line for the help.
    public static func flag(
        _ name: String, _ short: String? = nil, help: String = ""
    ) -> LaunchParameter {
        LaunchParameter(LaunchDeclaration(.flag, name, short, help: help)) { !$0.isEmpty }
    }
}

extension LaunchParameter where Value == String? {
    /// An option with a value; `nil` if it is not given. If it is given more than once, the last value counts.
    ///
    /// - Parameters:
    ///   - name: The name with its dashes, such as `--unit`.
    ///   - short: The short form, such as `-u`; `nil` if there is none.
    ///   - value: The word that the help shows for the value.
    ///   - help: One line for the help.
    public static func option(
        _ name: String, _ short: String? = nil, value: String = "VALUE", help: String = ""
    ) -> LaunchParameter {
        LaunchParameter(LaunchDeclaration(.option(value), name, short, help: help)) {
            .some($0.last)
        }
    }

    /// An argument that may be left out; `nil` then.
    ///
    /// - Parameters:
    ///   - name: The word that messages and the help show for it, such as `CITY`.
    ///   - help: One line for the help.
    public static func optionalArgument(_ name: String, help: String = "") -> LaunchParameter {
        LaunchParameter(LaunchDeclaration(.argument(0...1), name, help: help)) { .some($0.last) }
    }
}

extension LaunchParameter where Value == String {
    /// An argument that has to be given.
    ///
    /// - Parameters:
    ///   - name: The word that messages and the help show for it, such as `CITY`.
    ///   - help: One line for the help.
    public static func argument(_ name: String, help: String = "") -> LaunchParameter {
        LaunchParameter(LaunchDeclaration(.argument(1...1), name, help: help)) { $0.last }
    }
}

extension LaunchParameter where Value == [String] {
    /// An option with a value that may be given more than once; all values in their order.
    ///
    /// - Parameters:
    ///   - name: The name with its dashes, such as `--tag`.
    ///   - short: The short form, such as `-t`; `nil` if there is none.
    ///   - value: The word that the help shows for the value.
    ///   - help: One line for the help.
    public static func options(
        _ name: String, _ short: String? = nil, value: String = "VALUE", help: String = ""
    ) -> LaunchParameter {
        LaunchParameter(LaunchDeclaration(.option(value), name, short, help: help)) { $0 }
    }

    /// All arguments that are left over; there may be none. No argument can stand behind it.
    ///
    /// - Parameters:
    ///   - name: The word that messages and the help show for one of them, such as `CITY`.
    ///   - help: One line for the help.
    public static func arguments(_ name: String, help: String = "") -> LaunchParameter {
        LaunchParameter(LaunchDeclaration(.argument(0...Int.max), name, help: help)) { $0 }
    }
}

extension LaunchParameter where Value: LosslessStringConvertible {
    /// An option with a value, such as a number, and a value that counts if it is not given.
    ///
    /// - Parameters:
    ///   - name: The name with its dashes, such as `--days`.
    ///   - short: The short form, such as `-d`; `nil` if there is none.
    ///   - default: The value if the option is not given. The help shows it.
    ///   - value: The word that the help shows for the value.
    ///   - help: One line for the help.
    public static func option(
        _ name: String, _ short: String? = nil, default: Value, value: String = "VALUE",
        help: String = ""
    ) -> LaunchParameter {
        let declaration = LaunchDeclaration(
            .option(value), name, short, type: Value.self, default: "\(`default`)", help: help)
        return LaunchParameter(declaration) { texts in
            guard let text = texts.last else { return `default` }
            return Value(text)
        }
    }
}

extension LaunchParameter {
    /// An option with a value of another type than `String`, such as a number; `nil` if it is not given.
    ///
    /// - Parameters:
    ///   - name: The name with its dashes, such as `--days`.
    ///   - short: The short form, such as `-d`; `nil` if there is none.
    ///   - type: The type of the value, such as `Int.self`.
    ///   - value: The word that the help shows for the value.
    ///   - help: One line for the help.
    public static func option<Wrapped: LosslessStringConvertible>(
        _ name: String, _ short: String? = nil, as type: Wrapped.Type, value: String = "VALUE",
        help: String = ""
    ) -> LaunchParameter where Value == Wrapped? {
        let declaration = LaunchDeclaration(
            .option(value), name, short, type: Wrapped.self, help: help)
        return LaunchParameter(declaration) { texts in
            guard let text = texts.last else { return .some(nil) }
            return Wrapped(text).map { .some($0) }
        }
    }
}

/// A parameter as the parser and the help see it.
package struct LaunchDeclaration: Sendable {
    package enum Kind: Hashable, Sendable {
        case flag
        /// An option with a value, and the word that the help shows for the value.
        case option(String)
        /// The same, with a value that may be missing; if it is there, it stands behind an `=`.
        case optionalValue(String)
        /// Words that are no options, and how many of them.
        case argument(ClosedRange<Int>)
    }

    package let kind: Kind
    /// The name of an option with its dashes, or the word that the help shows for an argument.
    package let name: String
    /// The short form with its dash.
    package let short: String?
    /// The type of the value, in words.
    let form: String
    /// The value that counts if none is given, as the help shows it.
    let standard: String?
    package let help: String

    package init(
        _ kind: Kind, _ name: String, _ short: String? = nil, type: Any.Type = String.self,
        default standard: String? = nil, help: String
    ) {
        self.kind = kind
        self.name = name
        self.short = short
        self.standard = standard
        self.help = help
        form =
            switch type {
            case is String.Type: "String"
            case is any BinaryInteger.Type: "a whole number"
            case is any BinaryFloatingPoint.Type: "a number"
            case is Bool.Type: "true or false"
            default: "\(type)"
            }
    }

    /// The letter of the short form; `nil` if there is none, or if it has another form.
    var letter: Character? {
        guard let short, short.count == 2, short.hasPrefix("-") else { return nil }
        return short.last.flatMap { $0 == "-" || $0 == "=" || $0.isWhitespace ? nil : $0 }
    }

    /// The number of arguments; `nil` for an option.
    var count: ClosedRange<Int>? {
        guard case .argument(let count) = kind else { return nil }
        return count
    }

    /// An argument in a usage line: `CITY`, `[CITY]` or `[CITY…]`.
    var operand: String {
        switch count {
        case nil: ""
        case 0...1: "[\(name)]"
        case 1...1: name
        default: "[\(name)…]"
        }
    }

    /// The value behind the name in help: ` UNIT`, `[=SECONDS]` if it may be missing, or nothing.
    package var shownValue: String {
        switch kind {
        case .option(let value): " \(value)"
        case .optionalValue(let value): "[=\(value)]"
        case .flag, .argument: ""
        }
    }
}
