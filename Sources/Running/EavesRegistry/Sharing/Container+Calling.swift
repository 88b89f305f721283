// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Containers) import EavesInterface

// Calls that a container sees from their beginning to their end: callers let them be measured, and held back while
// state goes over.
extension Container {
    package func performCall<Service: Sendable, Result>(
        _ service: Service.Type, name: String?, _ body: (Service, Bool) throws -> Result
    ) throws -> Result {
        guard callNotes.areEmpty, !ThreadContext.current.isResolving else {
            return try performNoted(service, name: name, body)
        }
        let instance = try resolve(service, name: name)
        // Resolving may have loaded a module with a life cycle.
        guard callNotes.areEmpty else {
            return try performApart(service, name: name, after: instance, body)
        }
        return try body(instance, true)
    }

    /// Performs a call that its thread notes, if it can.
    @inline(never)
    private func performNoted<Service: Sendable, Result>(
        _ service: Service.Type, name: String?, _ body: (Service, Bool) throws -> Result
    ) throws -> Result {
        let context = ThreadContext.current
        guard
            var call = ThreadCall.begin(
                .withoutArguments(service, name: name), in: self, on: context)
        else { return try performApart(service, name: name, body) }
        let before = call.before
        let instance: Service
        if let created = call.created {
            // SAFETY: every registration under this key is a `Factory` of this service, which
            // stores nothing but a pointer to an initialised value of it.
            instance = created.assumingMemoryBound(to: Service.self).pointee
            context.leave(before)
        } else {
            instance = try call.create { registration throws(ResolutionError) in
                try create(service, by: registration, in: context, before)
            }
        }
        call.start()
        do {
            let result = try body(instance, call.isLasting)
            call.end(isError: false)
            return result
        } catch {
            call.end(after: error)
            throw error
        }
    }

    // The runtime looks up types that depend on the service's: only here.

    /// Performs a call that its thread cannot note by itself.
    @inline(never)
    private func performApart<Service: Sendable, Result>(
        _ service: Service.Type, name: String?, _ body: (Service, Bool) throws -> Result
    ) throws -> Result {
        try measured(service, name: name).call(body)
    }

    /// - Parameter early: The service, which was resolved before the container had to take note of calls.
    @inline(never)
    private func performApart<Service: Sendable, Result>(
        _ service: Service.Type, name: String?, after early: Service,
        _ body: (Service, Bool) throws -> Result
    ) throws -> Result {
        try measuredNow(service, name: name, early: MeasuredService(service: early)).call(body)
    }

    package func performCallAsync<Service: Sendable, Result>(
        _ service: Service.Type, name: String?, isolation: isolated (any Actor)?,
        _ body: (Service) async throws -> Result
    ) async throws -> Result {
        try await measuredAsync(service, name: name).callAsync(isolation: isolation, body)
    }
}

/// A service, and what its container notes of a call of it.
struct MeasuredService<Service: Sendable>: Sendable {
    let service: Service
    /// The account of the call; `nil` if no host judges the module.
    var account: CallAccount?
    /// The call, if its end matters; `nil` if there is nothing to wait for, and nothing is exchanged.
    var running: MeasuredCall?

    /// Calls the service, and notes the call.
    ///
    /// - Parameter body: Its second argument is whether further calls of the same object would be as good.
    func call<Result>(_ body: (Service, Bool) throws -> Result) throws -> Result {
        defer { running?.end() }
        let noted = account?.begin()
        do {
            let isLasting = running?.isLasting ?? true
            let result =
                if let running {
                    try running.run { try body(service, isLasting) }
                } else {
                    try body(service, isLasting)
                }
            note(noted)
            return result
        } catch {
            note(noted, error)
            throw error
        }
    }

    /// Calls the service, on the actor of the caller, and notes the call.
    func callAsync<Result>(
        isolation: isolated (any Actor)?, _ body: (Service) async throws -> Result
    ) async throws -> Result {
        defer { running?.end() }
        let noted = account?.begin()
        do {
            let result =
                if let running {
                    try await running.runAsync(isolation: isolation) { try await body(service) }
                } else {
                    try await body(service)
                }
            note(noted)
            return result
        } catch {
            note(noted, error)
            throw error
        }
    }

    /// Notes a call that ends now, if a host judges the module.
    private func note(_ call: CallAccount.Call?, _ error: (any Error)? = nil) {
        guard let call else { return }
        account?.end(call, isError: error != nil && !(error is CancellationError))
    }
}

extension Container {
    func measured<Service: Sendable>(
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
        _ service: Service.Type, name: String?, early: MeasuredService<Service>? = nil
    ) throws(ResolutionError) -> MeasuredService<Service> {
        var early = early
        if early == nil, !hasGates, !isExchanged {
            let counted = try counted(service, name: name)
            if !hasGates { return counted }
            // This has loaded a module with a life cycle.
            early = counted
        }
        while true {
            let doors = try answer(service, name: name).doors
            if doors.isEmpty, !isExchanged {
                if let early { return early }
                return try counted(service, name: name)
            }
            guard let call = MeasuredCall.through(doors, on: self) else { continue }
            func find() throws(ResolutionError) -> (MeasuredService<Service>, [CallGate.Door]) {
                (try counted(service, name: name), try answer(service, name: name).doors)
            }
            // A call of the present finds what all callers find.
            let isOfPresent = call.isOfPresent
            let (found, now) =
                try isOfPresent ? find() : MeasuredCall.$current.resolving(with: call, find)
            // Another generation, or another module, may have the service by now.
            guard call.isThrough(now), call.isOfPresent == isOfPresent else { continue }
            return MeasuredService(service: found.service, account: found.account, running: call)
        }
    }

    func measuredAsync<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) async throws(ResolutionError) -> MeasuredService<Service> {
        var early: MeasuredService<Service>?
        if !hasGates, !isExchanged {
            let counted = try await countedAsync(service, name: name)
            if !hasGates { return counted }
            early = counted
        }
        while true {
            let doors = try answer(service, name: name).doors
            if doors.isEmpty, !isExchanged {
                if let early { return early }
                return try await countedAsync(service, name: name)
            }
            guard let call = await MeasuredCall.throughAsync(doors, on: self) else { continue }
            let (found, now) = try await MeasuredCall.$current.resolvingAsync(with: call) {
                () async throws(ResolutionError) -> (MeasuredService<Service>, [CallGate.Door]) in
                let counted = try await countedAsync(service, name: name)
                return (counted, try answer(service, name: name).doors)
            }
            guard call.isThrough(now) else { continue }
            return MeasuredService(service: found.service, account: found.account, running: call)
        }
    }

    /// The provider of a service at the moment.
    private struct Answer {
        let owner: Container
        let module: String?
        /// The modules that share the service, if several do.
        let shares: CallShares?
        /// The doors of all registrations that may answer; none if their modules have no life cycle. One of a generation
        /// that serves no longer, and that an outer call keeps from being stopped, has none either.
        let doors: [CallGate.Door]
    }

    private func answer<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Answer {
        let context = ThreadContext.current
        let before = context.enter()
        defer { context.leave(before) }
        let key = ServiceKey.withoutArguments(service, name: name)
        let answer = try withRegistration(of: key, in: context) { found in
            let shares = found.traits.shares
            let registrations =
                shares?.arms.compactMap { arm in
                    ownRegistration(service, name: name, orUnnamed: true, of: arm.module)
                } ?? [found]
            let doors = registrations.compactMap(\.base.door).filter { door in
                !context.isOfCall || !door.gate.isOver
            }
            return Answer(owner: self, module: found.module, shares: shares, doors: doors)
        }
        if let answer { return answer }
        return try owner(of: key, service, in: context).answer(service, name: name)
    }

    private func counted<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> MeasuredService<Service> {
        guard accounts.isOn else {
            return MeasuredService(service: try resolve(service, name: name))
        }
        let context = ThreadContext.current
        let before = context.enter()
        defer { context.leave(before) }
        let answer = try answer(service, name: name)
        let owner = answer.owner
        guard let shares = answer.shares else {
            guard let account = accounts[answer.module] else {
                return MeasuredService(service: try owner.resolve(service, name: name))
            }
            var creation = account.beginCreating()
            let instance = try owner.resolve(service, name: name)
            return MeasuredService(service: instance, account: creation.end() ? account : nil)
        }
        let (instance, account) = try owner.share(
            service, name: name, by: shares)
        return MeasuredService(service: instance, account: account)
    }

    private func countedAsync<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) async throws(ResolutionError) -> MeasuredService<Service> {
        guard accounts.isOn else {
            return MeasuredService(service: try await resolveAsync(service, name: name))
        }
        let answer = try answer(service, name: name)
        let owner = answer.owner
        guard let shares = answer.shares else {
            guard let account = accounts[answer.module] else {
                return MeasuredService(service: try await owner.resolveAsync(service, name: name))
            }
            var creation = account.beginCreating()
            let instance = try await owner.resolveAsync(service, name: name)
            return MeasuredService(service: instance, account: creation.end() ? account : nil)
        }
        let (instance, account) = try await owner.shareAsync(
            service, name: name, by: shares)
        return MeasuredService(service: instance, account: account)
    }
}

extension IndirectResolver {
    func performCall<Service: Sendable, Result>(
        _ service: Service.Type, name: String?, _ body: (Service, Bool) throws -> Result
    ) throws -> Result {
        let measured = try ask(service, name) { (container) throws(ResolutionError) in
            try container.measured(service, name: name)
        }
        return try measured.call(body)
    }

    func performCallAsync<Service: Sendable, Result>(
        _ service: Service.Type, name: String?, isolation: isolated (any Actor)?,
        _ body: (Service) async throws -> Result
    ) async throws -> Result {
        try await measuredAsync(service, name: name).callAsync(isolation: isolation, body)
    }

    private func measuredAsync<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) async throws(ResolutionError) -> MeasuredService<Service> {
        let container = try ask(service, name) { $0 }
        if container.callNotes.areEmpty {
            let instance = try await resolveAsync(service, name: name)
            // A module that has been loaded by this may have a life cycle.
            if !container.hasGates { return MeasuredService(service: instance) }
        }
        return try await container.measuredAsync(service, name: name)
    }
}
