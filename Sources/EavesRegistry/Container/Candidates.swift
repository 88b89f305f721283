// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// What is registered that comes close to what is missing, in words.
struct Candidates {
    let wanted: ServiceRequest
    /// The type that was asked for.
    let type: ObjectIdentifier

    /// A line each, in alphabetical order.
    func lines(among registrations: [Registration]) -> [String] {
        registrations
            .filter { $0.request.service == wanted.service }
            .map { $0.description + hint($0) }
            .sorted()
    }

    private func hint(_ registration: Registration) -> String {
        if registration.service == type { return "" }
        if registration.request.qualifiedService == wanted.qualifiedService {
            return ": another type of the same name, since its module was linked twice; "
                + "link modules without it, as 'eaves build' does"
        }
        return ": \(registration.request.qualifiedService) is another type than "
            + wanted.qualifiedService
    }
}
