// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The words that describe a request for a service, for messages.
public struct ServiceRequest: Hashable, Sendable, CustomStringConvertible {
    /// The service's name without its module, such as `UserService`.
    public let service: String
    /// The service's name with its module, such as `EavesInterface.UserService`.
    public let qualifiedService: String
    /// The name that the service is registered under; `nil` for the unnamed implementation.
    public let name: String?
    /// The types of the runtime arguments, in order.
    public let arguments: [String]

    /// Describes a request.
    ///
    /// - Parameters:
    ///   - service: The service's type.
    ///   - name: The name that the service is registered under; `nil` for the unnamed implementation.
    ///   - arguments: The types of the runtime arguments, in order.
    public init(_ service: Any.Type, name: String? = nil, arguments: [Any.Type] = []) {
        if service == (any Feature).self {
            // Every launch and every registration of a feature comes here, so skip the runtime's
            // slow lookup of the type's name.
            self.service = "Feature"
            self.qualifiedService = Self.qualifiedFeature
        } else {
            self.service = Self.words(service, qualified: false)
            self.qualifiedService = Self.words(service, qualified: true)
        }
        self.name = name
        self.arguments = arguments.map { Self.words($0, qualified: false) }
    }

    private static func words(_ type: Any.Type, qualified: Bool) -> String {
        TypeWords.readable(_typeName(type, qualified: qualified))
    }

    private static var qualifiedFeature: String { "EavesInterface.Feature" }

    /// Such as `UserService`, `UserService named 'admin'`, `Greeting(String)` or `feature 'login'`.
    public var description: String {
        if qualifiedService == Self.qualifiedFeature, let name { return "feature '\(name)'" }
        let types = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
        return service + types + (name.map { " named '\($0)'" } ?? "")
    }
}
