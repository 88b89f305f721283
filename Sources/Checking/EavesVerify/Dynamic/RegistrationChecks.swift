// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesLife
import EavesLoader
import EavesModules
import EavesRegistry

// Loading and registering: in this host, once more, and in hosts that the module does not expect.
extension ProbedModule {
    func checkLoads() throws -> CheckConclusion {
        if entry.declaration?.layer == .interface {
            try Loader.openInterface(readyFile())
        } else {
            _ = try load()
        }
        return .passed
    }

    func checkRegisters() throws -> CheckConclusion {
        _ = try register().lifecycle()
        return .passed
    }

    /// Compares the registrations with the note. The commit finds what was registered twice.
    func checkDeclaration() throws -> CheckConclusion {
        try compareWithDeclaration(register())
        _ = try commit()
        return .passed
    }

    /// Calls the entry point again, as a host does that lives on after a swap.
    func checkRegistersTwice() throws -> CheckConclusion {
        _ = try register()
        let registrar = makeRegistrar()
        try load().register(in: registrar) { _ in }
        let second = Set(registrar.registrations.map { Capability($0.request) })
        let differing = capabilities.symmetricDifference(second).map(\.description).sorted()
        guard !differing.isEmpty else { return .passed }
        return failure(
            "registers something else the second time: \(differing.joined(separator: ", "))",
            fix: "register everything on each call, whatever was registered before")
    }

    /// Lets the module register in an unusual host, where it may also refuse.
    func registerOrRefuse(shown table: HostTable) throws -> CheckConclusion {
        let module = try load()
        do throws(LoadError) {
            try module.register(in: makeRegistrar(), shown: table) { _ in }
        } catch {
            guard case .refused = error else { return failure(error) }
        }
        return .passed
    }

    func checkLaterHost() throws -> CheckConclusion {
        let registrar = makeRegistrar()
        let module = try load()
        do throws(LoadError) {
            try module.register(in: registrar, shown: .later) { _ in }
        } catch {
            return failure(
                "does not register in a later host: \(error.diagnostic(of: entry.id).message)",
                fix: "check that 'size' of eaves_host covers the fields that you read, and allow "
                    + "larger sizes", .incompatible)
        }
        try compareWithDeclaration(registrar)
        return .passed
    }

    private func compareWithDeclaration(_ registrar: StagedRegistrar) throws {
        guard let declaration = entry.declaration else { return }
        try RegistrationCheck.run(registrar.registrations, against: declaration)
    }
}

// Things that a module must not do while it is loaded and registers.
extension ProbedModule {
    /// Runs the module while the verifying process watches from outside, and judges by itself.
    func checkNothing() throws -> CheckConclusion {
        _ = try register()
        return .passed
    }

    /// Compares what only code of the process can see, and the rest in the same words.
    func checkProcessState() throws -> CheckConclusion {
        _ = try register()
        guard let before = stateBefore, let after = stateAfter else { return .passed }
        let harm = ProcessSnapshot.harm(in: after.threads)
        let changes = harm + before.changes(to: after)
        guard !changes.isEmpty else { return .passed }
        let message = Observation.message(of: changes)
        return harm.isEmpty
            ? warning(message, fix: Observation.adviceForState)
            : failure(message, fix: Observation.adviceForThreads)
    }
}
