// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

// Modules that share a service: a registration stands under its key that draws one of them at each call. The
// instances are those of the modules' own registrations, which keep them as their scopes say.
extension Container {
    /// Asks the module whose turn it is. If it fails, the stable one answers, so that a bad canary does no harm; the
    /// call counts as the canary's error all the same.
    ///
    /// - Returns: The service, and the account of the module that gave it.
    func share<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, by shares: CallShares,
        _ arguments: repeat each Argument
    ) throws(ResolutionError) -> (Service, CallAccount) {
        for arm in shares.drawTurn() {
            let isLast = arm.module == shares.stable.module
            do throws(ResolutionError) {
                let found = own(
                    service, name: name, orUnnamed: true, of: arm.module, repeat each arguments)
                // Its registrations may have been taken back meanwhile.
                guard let found else { continue }
                return (try found.get(), arm.account)
            } catch {
                arm.account.note(isError: true)
                if isLast { throw error }
            }
        }
        // All of them have been taken back, and something else stands under the key by now.
        return (
            try resolve(service, name: name, arguments: repeat each arguments),
            shares.stable.account
        )
    }

    /// Asks the module whose turn it is, as ``share(_:name:by:_:)``, for a service that may have to be awaited.
    func shareAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, by shares: CallShares,
        _ arguments: repeat each Argument
    ) async throws(ResolutionError) -> (Service, CallAccount) {
        for arm in shares.drawTurn() {
            let isLast = arm.module == shares.stable.module
            do throws(ResolutionError) {
                let found = try await ownAsync(
                    service, name: name, of: arm.module, repeat each arguments)
                guard let found else { continue }
                return (found, arm.account)
            } catch {
                if case .cancelled = error.reason { throw error }
                arm.account.note(isError: true)
                if isLast { throw error }
            }
        }
        let service = try await resolveAsync(service, name: name, arguments: repeat each arguments)
        return (service, shares.stable.account)
    }

    /// Asks the module whose turn it is, as ``share(_:name:by:_:)``, on the main actor.
    @MainActor
    func shareOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, by shares: CallShares,
        _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        for arm in shares.drawTurn() {
            let isLast = arm.module == shares.stable.module
            do throws(ResolutionError) {
                let found = try ownIfRegisteredOnMainActor(
                    service, name: name, orUnnamed: true, of: arm.module, repeat each arguments)
                guard let found else { continue }
                return found
            } catch {
                arm.account.note(isError: true)
                if isLast { throw error }
            }
        }
        return try resolveOnMainActor(service, name: name, arguments: repeat each arguments)
    }
}
