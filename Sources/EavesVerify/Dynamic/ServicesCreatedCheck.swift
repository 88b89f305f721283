// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesHost
import EavesInterface
import EavesRegistry

/// Calls every factory of a service that takes no arguments.
enum ServicesCreatedCheck: DirectCheck {
    static let id = "services-created"
    static let meaning = "every service that it provides can be made"
    static let needs = [DeclarationKeptCheck.id]

    static func run(_ trial: Trial) throws -> Finding {
        let container = try trial.commit()
        let services = try trial.register().registrations.filter { registration in
            if case .service = Need(registration.request) { true } else { false }
        }
        guard !services.isEmpty else { return .skipped("it provides no service") }
        return Finding(of: services.map { make($0, in: container, trial) })
    }

    private static func make(
        _ registration: Registration, in container: Container, _ trial: Trial
    ) -> Finding {
        let request = registration.request
        do throws(ResolutionError) {
            guard let value = try registration.instance(from: container) else {
                return .skipped("\(request) takes arguments")
            }
            trial.made.append(MadeService(request, value))
            return .passed
        } catch {
            if let need = error.unmetNeed(of: request) { return .skipped(need) }
            let reason =
                if case .factoryFailed(let reason) = error.reason {
                    "cannot make \(request): \(reason)"
                } else {
                    error.description
                }
            return trial.failure(
                reason, fix: "let the factory throw only where what it needs is not there")
        }
    }
}

extension ResolutionError {
    /// Why it says nothing about the module: what it needs of others is not there.
    ///
    /// - Parameter request: What was made.
    func unmetNeed(of request: ServiceRequest) -> String? {
        switch reason {
        case .notRegistered where wanted != request:
            "\(request) needs \(wanted), which nobody provides here"
        case .moduleFailed(let failure):
            "\(request) needs \(wanted), which is not to be had: " + Self.words(for: failure)
        case .factoryFailed(let inner as ResolutionError):
            inner.unmetNeed(of: request)
        case .factoryFailed(let failure) where wanted != request:
            "\(request) needs \(wanted), which cannot be made: \(failure)"
        default:
            nil
        }
    }

    private static func words(for failure: any Error) -> String {
        guard let failure = failure as? any Diagnosable else { return "\(failure)" }
        return failure.diagnostics.map(\.message).joined(separator: "; ")
    }
}
