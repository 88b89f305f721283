// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesInterface

extension ValidationProblem: Diagnosable {
    package var diagnostics: [Diagnostic] { [diagnostic] }

    private var diagnostic: Diagnostic {
        switch self {
        case .missing(let need, let registration, let candidates):
            Diagnostic(
                "\(registration) needs \(need.request), which nobody provides"
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
                "\(path[0].request) is needed to build itself: "
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
