// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

/// What stands in the place of whatever modules register, now or later: mocks in tests.
package final class Replacements: Sendable {
    private let replaced = Guarded<[Replaced]>([])

    /// What is asked for and by which key it is found. Each once.
    private struct Replaced {
        let key: ServiceKey
        let request: ServiceRequest
    }

    package init() {}

    /// Puts registrations in the place of those that are in a container, and of those that come.
    package func take(_ registrar: StagedRegistrar, into container: Container) {
        let registrations = registrar.registrations
        // First, so that whoever registers at the same time finds it said when he finds it done.
        replaced.withLock { replaced in
            for registration in registrations {
                replaced.removeAll { $0.key == registration.key }
                replaced.append(Replaced(key: registration.key, request: registration.request))
            }
        }
        do {
            try container.insert(registrations, overriding: true)
        } catch {
            preconditionFailure("what overrides is no duplicate: \(error)")
        }
    }

    /// Makes visible what a module registered, but for what is replaced.
    package func commit(
        _ registrar: StagedRegistrar, to container: Container,
        where isIncluded: (Registration) -> Bool
    ) throws(RegistrationError) {
        while true {
            let replaced = covered
            do throws(RegistrationError) {
                return try registrar.commit(to: container) { registration in
                    !replaced.contains(registration.key) && isIncluded(registration)
                }
            } catch {
                // Replaced just now, between the look and the commit: look again.
                let now = covered
                let isNews = error.duplicates.contains {
                    now.contains($0.second.key) && !replaced.contains($0.second.key)
                }
                guard isNews else { throw error }
            }
        }
    }

    /// Whether any of what is replaced is this.
    package func contains(where isThis: (ServiceRequest) -> Bool) -> Bool {
        replaced.withLock { $0.contains { isThis($0.request) } }
    }

    private var covered: [ServiceKey] { replaced.withLock { $0.map(\.key) } }
}
