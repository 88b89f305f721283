// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesInterface

/// A screen that links lead to. It is registered under its path.
///
/// ``EavesInterface/Registrar/registerDestination(_:_:needs:model:)`` registers one. A host finds it by its path
/// without loading the modules of others.
public protocol Destination: Sendable {
    /// The parameters that a link can or must give.
    var parameters: [LinkParameter] { get }

    /// Creates the screen's model.
    ///
    /// - Parameters:
    ///   - link: A link whose parameters have been checked.
    ///   - router: The router of the new screen.
    func makeModel(for link: Link, _ router: ScreenRouter) throws -> any ScreenModel
}

/// A parameter of a destination.
public struct LinkParameter: Hashable, Sendable {
    /// The type of a parameter's value.
    public enum Kind: String, Hashable, Sendable {
        /// Any text.
        case text
        /// A whole number.
        case number
    }

    /// The name in the link.
    public var name: String
    /// The type of the value.
    public var kind: Kind
    /// Whether the destination cannot do without it.
    public var isRequired: Bool

    /// Creates a parameter that a link must give.
    ///
    /// - Parameters:
    ///   - name: The name in the link.
    ///   - kind: The type of the value.
    public static func required(_ name: String, _ kind: Kind = .text) -> LinkParameter {
        LinkParameter(name: name, kind: kind, isRequired: true)
    }

    /// Creates a parameter that a link can give.
    ///
    /// - Parameters:
    ///   - name: The name in the link.
    ///   - kind: The type of the value.
    public static func optional(_ name: String, _ kind: Kind = .text) -> LinkParameter {
        LinkParameter(name: name, kind: kind, isRequired: false)
    }
}

extension Link {
    /// Checks the parameters against those that the destination declares.
    ///
    /// - Throws: ``LinkError`` about every parameter that is missing, unknown or of another type.
    public func check(against declared: [LinkParameter]) throws(LinkError) {
        var problems: [String] = []
        for parameter in declared {
            switch (parameters[parameter.name], parameter.kind) {
            case (nil, _) where parameter.isRequired:
                problems.append("the parameter '\(parameter.name)' is missing")
            case (let value?, .number) where Int(value) == nil:
                problems.append("'\(parameter.name)' is '\(value)', which is no whole number")
            default: break
            }
        }
        for name in parameters.keys.sorted() where !declared.contains(where: { $0.name == name }) {
            problems.append("it takes no parameter '\(name)'")
        }
        guard problems.isEmpty else {
            throw LinkError(
                "cannot open '\(path)': " + problems.joined(separator: ", and "),
                fix: "open " + Link.example(path, declared))
        }
    }

    /// The value of a parameter that is a text, or `nil` if the link does not give it.
    public func text(_ name: String) -> String? { parameters[name] }

    /// The value of a parameter that is a number, or `nil` if the link does not give it.
    public func number(_ name: String) -> Int? { parameters[name].flatMap { Int($0) } }

    private static func example(_ path: String, _ declared: [LinkParameter]) -> String {
        let query = declared.map { parameter in
            "\(parameter.name)=\(parameter.kind == .number ? "1" : "text")"
        }
        return "'eaves://\(path)"
            + (query.isEmpty ? "'" : "?\(query.joined(separator: "&"))'")
    }
}

extension Registrar {
    /// Registers a screen that links lead to, under its path.
    ///
    /// ```swift
    /// registrar.registerDestination("popup", [.required("message")]) { link, router in
    ///     PopUpModel(message: link.text("message") ?? "", routes: router)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - path: The name in links; `module.json` declares it under `provides` as the name of a
    ///     `Destination`.
    ///   - parameters: The parameters that a link can or must give.
    ///   - needs: The services that the model's factory asks for.
    ///   - model: A function that creates the screen's model, for a link whose parameters have been checked.
    public func registerDestination(
        _ path: String, _ parameters: [LinkParameter] = [], needs: [ServiceNeed] = [],
        model: @escaping @Sendable (Link, ScreenRouter) throws -> any ScreenModel
    ) {
        register((any Destination).self, name: path, needs: needs) { _ in
            RegisteredDestination(parameters: parameters, model: model)
        }
    }
}

private struct RegisteredDestination: Destination {
    let parameters: [LinkParameter]
    let model: @Sendable (Link, ScreenRouter) throws -> any ScreenModel

    func makeModel(for link: Link, _ router: ScreenRouter) throws -> any ScreenModel {
        try model(link, router)
    }
}
