// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

/// Something that a module provides and others ask for: a feature, or a service under a name.
package enum Need: Hashable, Sendable {
    case feature(String)
    case service(String, name: String?)

    /// What a request asks for.
    package init(_ request: ServiceRequest) {
        if request.qualifiedService == Self.featureService {
            self = .feature(request.name ?? "")
        } else {
            self = .service(request.service, name: request.name)
        }
    }

    /// Features are registered as this service, under their names.
    private static let featureService = ServiceRequest((any Feature).self).qualifiedService
}

extension Need: CustomStringConvertible {
    package var description: String {
        switch self {
        case .feature(let name): "feature '\(name)'"
        case .service(let service, nil): service
        case .service(let service, let name?): "\(service) named '\(name)'"
        }
    }
}
