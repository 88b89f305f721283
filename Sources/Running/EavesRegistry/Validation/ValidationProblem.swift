// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesInterface

/// A mistake among the declared needs of registrations.
package enum ValidationProblem: Error, Sendable {
    /// No registration provides a need. The candidates come close to it, a line each.
    case missing(ServiceNeed, for: Registration, candidates: [String])
    /// Several modules provide a need, and none of them is chosen.
    case ambiguous(ServiceNeed, for: Registration, providers: [Registration])
    /// Each registration needs the next one, and the last one needs the first.
    case cycle([Registration])
    /// An object keeps another one that others get anew.
    case captive(Registration, of: Registration)

    /// The registration whose needs are wrong.
    package var registration: Registration {
        switch self {
        case .missing(_, let registration, _), .ambiguous(_, let registration, _): registration
        case .cycle(let path): path[0]
        case .captive(_, let registration): registration
        }
    }
}

extension ValidationProblem: Diagnosable {
    package var diagnostic: Diagnostic {
        switch self {
        case .missing(let need, let registration, let candidates):
            Diagnostic(
                "\(registration) needs \(need.request), which nothing provides"
                    + candidates.map { "\n  registered: \($0)" }.joined(),
                fix: "register it, or add a module that provides it", code: .noProvider)
        case .ambiguous(let need, let registration, let providers):
            Diagnostic(
                "\(registration) needs \(need.request), which several modules provide, and none is "
                    + "chosen: " + providers.map(\.description).joined(separator: ", "),
                fix: "choose one: "
                    + providers.compactMap(\.module)
                    .map { "'eaves swap \(need.request.service) \($0)'" }
                    .joined(separator: " or "), code: .configuration)
        case .cycle(let path):
            Diagnostic(
                "\(path[0].request) is needed to create itself: "
                    + (path + [path[0]]).map(\.description).joined(separator: " → "),
                fix: "break the circle: let one of them resolve later", code: .configuration)
        case .captive(let held, let registration):
            Diagnostic(
                "\(registration) is \(registration.scope.name), and keeps \(held), which is "
                    + held.scope.name,
                fix:
                    "ask for it when it is used, through a provider; or declare the need as 'own', "
                    + "if an instance of its own is meant", code: .configuration)
        }
    }
}

extension ValidationProblem: CustomStringConvertible {
    package var description: String { diagnostic.message }
}
