// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

/// A mistake among what registrations say that they need.
package enum ValidationProblem: Error, Sendable {
    /// Nobody provides what is needed. With what comes close, in words.
    case missing(ServiceNeed, for: Registration, candidates: [String])
    /// Several modules provide what is needed, and none of them is chosen.
    case ambiguous(ServiceNeed, for: Registration, providers: [Registration])
    /// Each needs the next one to be made, and the last one the first.
    case cycle([Registration])
    /// What lives longer keeps what is made anew for others.
    case captive(Registration, of: Registration)

    /// Whose needs are wrong.
    package var registration: Registration {
        switch self {
        case .missing(_, let registration, _), .ambiguous(_, let registration, _): registration
        case .cycle(let path): path[0]
        case .captive(_, let registration): registration
        }
    }
}
