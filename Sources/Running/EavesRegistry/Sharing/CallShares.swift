// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization

/// Modules that share the calls of a service, and the counter that decides whose turn it is.
///
/// The counter is exact, from any thread: of the first `n` calls, a module with the share `s` gets at most `n · s`,
/// rounded up, evenly spread. What is not for one of the others is for the stable one.
package final class CallShares: Sendable {
    package struct Arm: Sendable {
        package let module: String
        package let weight: Int
        package let account: CallAccount

        package init(_ module: String, weight: Int, _ account: CallAccount = CallAccount()) {
            self.module = module
            self.weight = weight
            self.account = account
        }
    }

    /// The module for all calls that are for no other one, and for those at which another one fails.
    package let stable: Arm
    package let canaries: [Arm]
    private let total: UInt64
    private let calls = Atomic<UInt64>(0)

    /// - Precondition: The weights are not negative, and their sum is positive.
    package init(stable: Arm, canaries: [Arm]) {
        self.stable = stable
        self.canaries = canaries
        total = UInt64(canaries.reduce(stable.weight) { $0 + $1.weight })
        precondition(total > 0, "one module has to answer")
    }

    /// The modules, the stable one first.
    package var arms: [Arm] { [stable] + canaries }

    /// The module whose turn it is, and those that answer if it fails, the stable one first.
    private func drawTurn() -> [Arm] {
        let place = calls.add(1, ordering: .relaxed).oldValue % total
        let arm =
            canaries.first { arm in
                let weight = UInt64(arm.weight)
                // One of each `total / weight` numbers is a multiple that passes the total.
                return place.multipliedReportingOverflow(by: weight).partialValue % total < weight
            } ?? stable
        return [arm] + arms.filter { $0.module != arm.module }
    }

    /// Asks the module whose turn it is. If it fails, the stable one answers, so that a bad canary does no harm; the
    /// call counts as the canary's error all the same.
    ///
    /// - Parameter resolve: A function that finds what stands under the key if all registrations have been taken back.
    /// - Returns: The service, and the account of the module that gave it, unless the call was noted there.
    fileprivate func ask<Service>(
        _ own: (_ module: String) throws(ResolutionError) -> Service?,
        else resolve: () throws(ResolutionError) -> Service
    ) throws(ResolutionError) -> (Service, CallAccount?) {
        for arm in drawTurn() {
            var creation = CallAccount.Creation(arm.account)
            do throws(ResolutionError) {
                if let found = try own(arm.module) {
                    return (found, creation.end())
                }
            } catch {
                creation.end()?.note(isError: true)
                if arm.module == stable.module { throw error }
            }
        }
        return (try resolve(), stable.account)
    }

    /// Asks the module whose turn it is, as ``ask(_:)``, for a service that may have to be awaited.
    fileprivate func askAsync<Service: Sendable>(
        _ own: (_ module: String) async throws(ResolutionError) -> Service?,
        else resolve: () async throws(ResolutionError) -> Service
    ) async throws(ResolutionError) -> (Service, CallAccount?) {
        for arm in drawTurn() {
            var creation = CallAccount.Creation(arm.account)
            do throws(ResolutionError) {
                if let found = try await own(arm.module) {
                    return (found, creation.end())
                }
            } catch {
                if case .cancelled = error.reason { throw error }
                creation.end()?.note(isError: true)
                if arm.module == stable.module { throw error }
            }
        }
        return (try await resolve(), stable.account)
    }
}

// A registration stands under the key of a shared service that draws a module at each call. The instances are those of
// the modules' own registrations, which keep them as their scopes say.
extension Container {
    /// Asks the module whose turn it is.
    ///
    /// - Returns: The service, and the account of the module that gave it, unless the call was noted there.
    func share<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, by shares: CallShares,
        _ arguments: repeat each Argument
    ) throws(ResolutionError) -> (Service, CallAccount?) {
        try shares.ask { (module) throws(ResolutionError) in
            try own(service, name: name, orUnnamed: true, of: module, repeat each arguments)
        } else: { () throws(ResolutionError) in
            try resolve(service, name: name, arguments: repeat each arguments)
        }
    }

    /// Asks the module whose turn it is for a service that may have to be awaited.
    func shareAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, by shares: CallShares,
        _ arguments: repeat each Argument
    ) async throws(ResolutionError) -> (Service, CallAccount?) {
        try await shares.askAsync { (module) async throws(ResolutionError) in
            try await ownAsync(
                service, name: name, orUnnamed: true, of: module, repeat each arguments)
        } else: { () async throws(ResolutionError) in
            try await resolveAsync(service, name: name, arguments: repeat each arguments)
        }
    }

    /// Asks the module whose turn it is on the main actor.
    @MainActor
    func shareOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, by shares: CallShares,
        _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        try shares.ask { (module) throws(ResolutionError) in
            try ownOnMainActor(
                service, name: name, orUnnamed: true, of: module, repeat each arguments)
        } else: { () throws(ResolutionError) in
            try resolveOnMainActor(service, name: name, arguments: repeat each arguments)
        }.0
    }
}
