// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesDiagnostics
import EavesHost
import EavesInterface
import EavesRegistry

// Creating and releasing the services that a module provides.
extension ProbedModule {
    func checkServicesCreated() throws -> CheckConclusion {
        let container = try commit()
        let services = try register().registrations.filter { registration in
            if case .service = Capability(registration.request) { true } else { false }
        }
        guard !services.isEmpty else { return .skipped("it provides no service") }
        return CheckConclusion(joining: services.map { create($0, in: container) })
    }

    private func create(
        _ registration: Registration, in container: Container
    ) -> CheckConclusion {
        let request = registration.request
        do throws(ResolutionError) {
            guard let value = try registration.instance(from: container) else {
                return .skipped("\(request) takes arguments")
            }
            created.append(CreatedService(request, value))
            return .passed
        } catch {
            if let need = error.unmetNeed(of: request) { return .skipped(need) }
            switch error.reason {
            case .needsAwait: return .skipped("\(request) has to be awaited")
            case .needsMainActor: return .skipped("\(request) is created on the main actor")
            default: break
            }
            let reason =
                if case .factoryFailed(let reason) = error.reason {
                    "cannot create \(request): \(reason)"
                } else {
                    error.description
                }
            return failure(
                reason, fix: "let the factory throw only when something that it needs is missing")
        }
    }

    func checkServicesDropped() throws -> CheckConclusion {
        guard !created.isEmpty else { return .skipped("no service was created") }
        try release()
        let kept = created.filter { $0.object != nil }.map(\.request.description)
        guard !kept.isEmpty else { return .passed }
        return warning(
            "\(kept.joined(separator: ", ")) stays alive after the host released it",
            fix: "look for a cycle of strong references, or for another reference to it")
    }
}

/// A service that a module's factory has created.
struct CreatedService {
    let request: ServiceRequest
    /// `nil` once it is released.
    var value: Any?
    /// The instance, if the value is one; `nil` when no reference to it is left.
    private(set) weak var object: AnyObject?

    init(_ request: ServiceRequest, _ value: Any) {
        self.request = request
        self.value = value
        object = type(of: value) is AnyClass ? value as AnyObject : nil
    }
}

extension ResolutionError {
    /// The reason why the error says nothing about the module, if that is so: something that it needs
    /// of other modules is missing.
    func unmetNeed(of request: ServiceRequest) -> String? {
        switch reason {
        case .notRegistered where wanted != request:
            "\(request) needs \(wanted), which "
                + (cause.map { "is not available: " + Self.words(for: $0) }
                    ?? "no module provides here")
        case .moduleFailed(let failure):
            "\(request) needs \(wanted), which is not available: " + Self.words(for: failure)
        case .factoryFailed(let inner as ResolutionError):
            inner.unmetNeed(of: request)
        case .factoryFailed(let failure) where wanted != request:
            "\(request) needs \(wanted), which cannot be created: \(failure)"
        default:
            nil
        }
    }

    private static func words(for failure: any Error) -> String {
        guard let failure = failure as? any Diagnosable else { return "\(failure)" }
        return failure.diagnostics.map(\.message).joined(separator: "; ")
    }
}

// Launching a feature.
extension ProbedModule {
    private static let adviceForHelp =
        "print what arguments it takes and return 0, or throw a UsageError"

    /// Launches one feature with `--help` and an empty standard input.
    func checkHelp(ofFeature name: String) async throws -> CheckConclusion {
        let container = try commit()
        let printed = ProbeOutput.size
        let code: Int32
        do {
            code = try await Self.launch(name, from: container)
        } catch {
            let request = ServiceRequest((any Feature).self, name: name)
            if let need = (error as? ResolutionError)?.unmetNeed(of: request) {
                return .skipped("feature '\(name)': \(need)")
            }
            return failure("feature '\(name)' failed: \(error)", fix: Self.adviceForHelp, .crashed)
        }
        return judge(name, code: code, text: ProbeOutput.text(from: printed))
    }

    /// Launches a feature as a host does, and gives the exit code that the command would give.
    private static func launch(_ name: String, from resolver: any Resolver) async throws -> Int32 {
        let console = StandardConsole()
        do {
            let feature = try await resolver.resolveAsync((any Feature).self, name: name)
            let code = try await feature.run(
                Launch(arguments: ["--help"], feature: name, console: console))
            try console.flush()
            return Int32(code.rawValue)
        } catch {
            try console.flush()
            var usage = error as? UsageError
            if case .factoryFailed(let reason) = (error as? ResolutionError)?.reason {
                usage = reason as? UsageError
            }
            guard let usage else { throw error }
            console.warn("\(usage)")
            return FailureCode.usage.rawValue
        }
    }

    private func judge(_ name: String, code: Int32, text: String) -> CheckConclusion {
        guard code == 0 || code == FailureCode.usage.rawValue else {
            return failure(
                "feature '\(name)' ended with \(code) for '--help', expected 0 or 64",
                fix: Self.adviceForHelp)
        }
        guard !text.isEmpty else {
            return failure(
                "feature '\(name)' printed nothing for '--help'", fix: Self.adviceForHelp)
        }
        // A feature that only repeats its arguments prints '--help', too.
        let words = text.lowercased().removing("--help")
        guard
            code != 0
                || ["usage", "--", "option", "argument", "-h"].contains(where: words.includes)
        else {
            return warning(
                "feature '\(name)' seems to start its work when it is asked for help",
                fix: Self.adviceForHelp)
        }
        return .passed
    }
}
