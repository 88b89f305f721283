// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface

// Modules that share a service: a registration stands under its key that draws one of them at each call. The
// instances are those of the modules' own registrations, which keep them as their scopes say.
extension Container {
    /// Asks the module whose turn it is. If it fails, the stable one answers, so that a bad canary harms nobody; the
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
                let found = try ownOfEither(
                    service, name: name, of: arm.module, repeat each arguments)
                // Its registrations may have been taken back meanwhile.
                guard let found else { continue }
                return (found, arm.account)
            } catch {
                // A thread that has to step back begins anew, and then it is seen who fails.
                if ThreadContext.current.notes?.stepBack != nil { throw error }
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

    /// The instance of a module's own registration, under a name or, as for a binding, without.
    private func ownOfEither<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, of module: String,
        _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Service? {
        if let named = own(service, name: name, of: module, repeat each arguments) {
            return try named.get()
        }
        guard name != nil else { return nil }
        return try own(service, name: nil, of: module, repeat each arguments)?.get()
    }

    /// As ``share(_:name:by:_:)``, for a service that may have to be awaited.
    func shareAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, by shares: CallShares,
        _ arguments: repeat each Argument
    ) async throws(ResolutionError) -> (Service, CallAccount) {
        for arm in shares.drawTurn() {
            let isLast = arm.module == shares.stable.module
            do throws(ResolutionError) {
                var found = try await ownAsync(
                    service, name: name, of: arm.module, repeat each arguments)
                if found == nil, name != nil {
                    found = try await ownAsync(
                        service, name: nil, of: arm.module, repeat each arguments)
                }
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

    /// As ``share(_:name:by:_:)``, on the main actor.
    @MainActor
    func shareOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, by shares: CallShares,
        _ arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        for arm in shares.drawTurn() {
            let isLast = arm.module == shares.stable.module
            do throws(ResolutionError) {
                var found = try ownIfRegisteredOnMainActor(
                    service, name: name, of: arm.module, repeat each arguments)
                if found == nil, name != nil {
                    found = try ownIfRegisteredOnMainActor(
                        service, name: nil, of: arm.module, repeat each arguments)
                }
                guard let found else { continue }
                return found
            } catch {
                if ThreadContext.current.notes?.stepBack != nil { throw error }
                arm.account.note(isError: true)
                if isLast { throw error }
            }
        }
        return try resolveOnMainActor(service, name: name, arguments: repeat each arguments)
    }
}

// Calls that callers let be measured, and held back while state goes over.
extension Container {
    package func measured<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> MeasuredService<Service> {
        let context = ThreadContext.current
        guard context.isResolving else { return try measuredNow(service, name: name) }
        // A call goes to the module that serves now, also from a factory: the state is there.
        return try context.freshly(from: self, in: currentTable) { () throws(ResolutionError) in
            try measuredNow(service, name: name)
        }
    }

    private func measuredNow<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> MeasuredService<Service> {
        var early: MeasuredService<Service>?
        if !hasGates, !isExchanged {
            let counted = try counted(service, name: name)
            if !hasGates { return counted }
            // This has loaded a module with a life cycle.
            early = counted
        }
        while true {
            let gates = try gates(of: service, name: name)
            if gates.isEmpty, !isExchanged {
                if let early { return early }
                return try counted(service, name: name)
            }
            guard let call = MeasuredCall.through(gates, on: self) else { continue }
            let found: MeasuredService<Service>
            let now: [CallGate]
            let isOfPresent = call.isOfPresent
            if isOfPresent {
                // It finds what everybody finds.
                found = try counted(service, name: name)
                now = try self.gates(of: service, name: name)
            } else {
                found = try call.resolving { () throws(ResolutionError) in
                    try counted(service, name: name)
                }
                now = try call.resolving { () throws(ResolutionError) in
                    try self.gates(of: service, name: name)
                }
            }
            // Another generation, or another module, may have the service by now.
            guard call.isThrough(now), call.isOfPresent == isOfPresent else { continue }
            return MeasuredService(found.service, running: call.noting(found.meter))
        }
    }

    package func measuredAsync<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) async throws(ResolutionError) -> MeasuredService<Service> {
        var early: MeasuredService<Service>?
        if !hasGates, !isExchanged {
            let counted = try await countedAsync(service, name: name)
            if !hasGates { return counted }
            early = counted
        }
        while true {
            let gates = try gates(of: service, name: name)
            if gates.isEmpty, !isExchanged {
                if let early { return early }
                return try await countedAsync(service, name: name)
            }
            guard let call = await MeasuredCall.throughAsync(gates, on: self) else { continue }
            let (found, now) = try await call.resolvingAsync {
                () async throws(ResolutionError) -> (MeasuredService<Service>, [CallGate]) in
                let counted = try await countedAsync(service, name: name)
                return (counted, try self.gates(of: service, name: name))
            }
            guard call.isThrough(now) else { continue }
            return MeasuredService(found.service, running: call.noting(found.meter))
        }
    }

    /// The gates of all generations that may answer; none if their modules have no life cycle. One that serves no longer,
    /// and that an outer call keeps from being stopped, has none either.
    private func gates<Service: Sendable>(
        of service: Service.Type, name: String?
    ) throws(ResolutionError) -> [CallGate] {
        let context = ThreadContext.current
        let before = context.enter()
        defer { context.leave(before) }
        let key = ServiceKey.withoutArguments(service, name: name)
        let gates = try withRegistration(of: key, in: context) { found -> [CallGate] in
            guard let shares = found.shares else {
                guard let gate = found.base.gate, !context.isOfCall || !gate.isOver else {
                    return []
                }
                return [gate]
            }
            return shares.arms.compactMap { arm in
                let own =
                    ownRegistration(service, name: name, of: arm.module)
                    ?? ownRegistration(service, name: nil, of: arm.module)
                return own?.base.gate
            }.filter { !context.isOfCall || !$0.isOver }
        }
        if let gates { return gates }
        return try owner(of: key, service, in: context).gates(of: service, name: name)
    }

    private func counted<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> MeasuredService<Service> {
        guard accounts.isOn else { return MeasuredService(try resolve(service, name: name)) }
        let context = ThreadContext.current
        let before = context.enter()
        defer { context.leave(before) }
        let (owner, module, shares) = try answering(service, name: name)
        guard let shares else {
            return MeasuredService(
                try owner.resolve(service, name: name), meter: accounts[module])
        }
        let (instance, account) = try owner.share(
            service, name: name, by: shares)
        return MeasuredService(instance, meter: account)
    }

    private func countedAsync<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) async throws(ResolutionError) -> MeasuredService<Service> {
        guard accounts.isOn else {
            return MeasuredService(try await resolveAsync(service, name: name))
        }
        let (owner, module, shares) = try answering(service, name: name)
        guard let shares else {
            let instance = try await owner.resolveAsync(service, name: name)
            return MeasuredService(instance, meter: accounts[module])
        }
        let (instance, account) = try await owner.shareAsync(
            service, name: name, by: shares)
        return MeasuredService(instance, meter: account)
    }

    /// The container that has a service, the module that answers, and the modules that share it.
    private func answering<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> (owner: Container, module: String?, shares: CallShares?) {
        let context = ThreadContext.current
        let before = context.enter()
        defer { context.leave(before) }
        let key = ServiceKey.withoutArguments(service, name: name)
        let found = try withRegistration(of: key, in: context) { ($0.module, $0.shares) }
        if let found { return (self, found.0, found.1) }
        return try owner(of: key, service, in: context).answering(service, name: name)
    }
}

extension IndirectResolver {
    func measured<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> MeasuredService<Service> {
        try ask(for: ServiceRequest(service, name: name)) {
            (container) throws(ResolutionError) in
            try container.measured(service, name: name)
        }
    }

    func measuredAsync<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) async throws(ResolutionError) -> MeasuredService<Service> {
        let container = try ask(for: ServiceRequest(service, name: name)) { $0 }
        if !container.accounts.isOn, !container.hasGates, !container.isExchanged {
            let instance = try await resolveAsync(service, name: name)
            // A module that has been loaded by this may have a life cycle.
            if !container.hasGates { return MeasuredService(instance) }
        }
        return try await container.measuredAsync(service, name: name)
    }
}
