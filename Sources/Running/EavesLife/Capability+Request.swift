// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
package import EavesInterface
package import EavesManifest

extension Capability {
    /// The capability that a request asks for. Features are registered as services of the type `Feature`, under their
    /// names.
    package init(_ request: ServiceRequest) {
        if request.qualifiedService == Self.featureService {
            self = .feature(request.name ?? "")
        } else {
            self = .service(request.qualifiedService, name: request.name)
        }
    }

    private static let featureService = ServiceRequest((any Feature).self).qualifiedService

    /// The key of the binding that decides about it; `nil` for a feature.
    package var bindingKey: BindingKey? {
        guard case .service(let service, let name) = self else { return nil }
        return BindingKey(service, name: name)
    }
}
