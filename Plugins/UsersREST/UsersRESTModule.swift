// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Foundation

/// Provides the users of a service that is reached by HTTP.
///
/// The setting `url` is the service's address. `timeout` is the time for a call with all its attempts, in
/// seconds. `allow-http` permits an address that begins with `http:` on another machine.
enum UsersRESTModule: Module {
    static func register(in registrar: any Registrar) throws {
        let settings = registrar.settings
        let timeout = try settings.number("timeout") ?? 10
        guard timeout > 0, timeout <= 3600 else { throw RESTSettingsError.timeout(timeout) }
        let allowsHTTP = try settings.bool("allow-http") ?? false
        // The address may be missing until the module is used.
        let address = try settings.string("url").map {
            try ServiceAddress($0, allowsHTTP: allowsHTTP)
        }
        registrar.register((any UserService).self, scope: .shared) { _ in
            guard let address else { return UsersOverREST(client: nil) }
            return UsersOverREST(client: RESTClient(address, timeout: .seconds(timeout)))
        }
    }
}

/// The address of a service, as the settings give it.
struct ServiceAddress: Hashable, Sendable {
    /// The address, with a slash at its end.
    let base: URL

    /// - Parameters:
    ///   - text: The setting.
    ///   - allowsHTTP: Whether passwords may go to other machines unencrypted.
    init(_ text: String, allowsHTTP: Bool = false) throws(RESTSettingsError) {
        guard let url = URL(string: text.hasSuffix("/") ? text : text + "/"),
            let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host, !host.isEmpty, url.query == nil, url.fragment == nil,
            url.user == nil, url.password == nil
        else { throw .url(text) }
        guard scheme == "https" || allowsHTTP || Self.isLoopback(host) else {
            throw .unencrypted(text)
        }
        base = url
    }

    private static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let isIPv4 = parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
        return host == "localhost" || host == "::1" || host == "[::1]"
            || (isIPv4 && parts[0] == "127")
    }
}

/// A setting of users-rest that cannot be used.
enum RESTSettingsError: Error, Equatable, CustomStringConvertible {
    case url(String)
    case unencrypted(String)
    case timeout(Double)

    var description: String {
        switch self {
        case .url(let text):
            "setting 'url': expected an address such as 'https://users.example.org/api', found '\(text)'"
        case .unencrypted(let text):
            "setting 'url': '\(text)' would send passwords unencrypted to another machine; "
                + "write 'https:', or set 'allow-http' to true"
        case .timeout(let number):
            "setting 'timeout': expected a number of seconds up to 3600, found \(number)"
        }
    }
}
