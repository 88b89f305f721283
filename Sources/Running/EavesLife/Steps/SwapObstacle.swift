// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics

/// The reason why a running host does not take a new file of a module, although a host that starts now would.
package enum SwapObstacle: Error, Hashable, Sendable {
    /// The module's types have the same names as those of the build that is loaded.
    case sameTypes(String)
    /// It is an interface, whose types other modules hold.
    case interface(String)
    /// It no longer provides these services or features, which somebody has asked the running host for.
    case takesAway(String, [String])
    /// Objects of too many generations of the module are still in use.
    case tooMany(String, alive: Int, limit: Int)
}

extension SwapObstacle: Diagnosable {
    package var diagnostic: Diagnostic {
        switch self {
        case .sameTypes(let id):
            Diagnostic(
                "the running host cannot load this file next to the one that it has loaded: its note "
                    + "has no digest of its inputs, so the types of both may have the same names",
                fix:
                    "build it with 'eaves build', which gives each build names of its own, or start "
                    + "the host again to use this file of '\(id)'", code: .incompatible)
        case .interface(let id):
            Diagnostic(
                "a running host cannot exchange an interface that it has loaded: modules hold its "
                    + "types",
                fix: "start the host again to use the new '\(id)'", code: .configuration)
        case .takesAway(let id, let lost):
            Diagnostic(
                "it no longer provides \(lost.abridged(by: ", ")), which the running host gives to "
                    + "others",
                fix:
                    "bind \(lost.count == 1 ? "it" : "them") to another module first, or start the "
                    + "host again to use this file of '\(id)'", code: .noProvider)
        case .tooMany(let id, let alive, let limit):
            Diagnostic(
                "objects of \(alive) generations of '\(id)' are in use, and \(limit) are allowed",
                fix:
                    "'generations' counts them; drop them in the program, or start the host again",
                code: .configuration)
        }
    }
}

extension GenerationBook {
    /// The reason why a module must not get a further generation; `nil` if it may.
    func obstacle(to module: String) -> SwapObstacle? {
        let alive = living(module).count
        return alive < Self.limit ? nil : .tooMany(module, alive: alive, limit: Self.limit)
    }

    /// The record of a number.
    func record(_ number: Int) -> Record? { records.last { $0.number == number } }
}
