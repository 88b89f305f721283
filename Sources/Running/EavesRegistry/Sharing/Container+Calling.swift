// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
@_spi(Containers) import EavesInterface
import Synchronization

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
        guard callNotes.areEmpty else { return try performApart(service, name: name, body) }
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
        let (before, isLasting) = (call.before, call.isLasting)
        if let created = call.created {
            context.leave(before)
            // SAFETY: every registration under this key is a `Factory` of this service, which stores nothing but a pointer
            // to an initialised value of it; and a structure has the layout of its only property.
            let kept = created.assumingMemoryBound(to: Kept<Service>.self)
            return try call.perform { try kept.pointee.lend { try body($0, isLasting) } }
        }
        let instance = try call.create { registration throws(ResolutionError) in
            try create(service, by: registration, in: context, before)
        }
        return try call.perform { try body(instance, isLasting) }
    }

    // The runtime looks up types that depend on the service's: only here.

    /// Performs a call that its thread cannot note by itself.
    @inline(never)
    private func performApart<Service: Sendable, Result>(
        _ service: Service.Type, name: String?, _ body: (Service, Bool) throws -> Result
    ) throws -> Result {
        let (instance, call) = try measured(service, name: name)
        return try call.perform { try body(instance, call.isLasting) }
    }

    package func performCallAsync<Service: Sendable, Result>(
        _ service: Service.Type, name: String?, isolation: isolated (any Actor)?,
        _ body: (Service) async throws -> Result
    ) async throws -> Result {
        guard let (created, keeper, call) = beginAtOnce(.withoutArguments(service, name: name))
        else {
            let (instance, call) = try await measuredAsync(service, name: name, by: self)
            return try await call.performAsync(isolation: isolation) { try await body(instance) }
        }
        let instance = withExtendedLifetime(keeper) {
            // SAFETY: as in `performNoted`; the registration, which owns the value, is kept meanwhile.
            created.assumingMemoryBound(to: Service.self).pointee
        }
        return try await call.performAsync(isolation: isolation) { try await body(instance) }
    }

    /// Begins a call, which may end on another thread, of an instance that exists.
    ///
    /// - Returns: Where the instance stands, as long as its registration lives; `nil` if the call has to begin in another
    ///   way.
    private func beginAtOnce(_ key: ServiceKey) -> (UnsafeRawPointer, Registration, NotedCall)? {
        let context = ThreadContext.current
        guard !context.isResolving else { return nil }
        let before = context.enter()
        defer { context.leave(before) }
        let table = frontTable
        guard let found = table.find(key)?.takeUnretainedValue(), !found.drawsModule,
            let created = found.created.load(ordering: .acquiring)
        else { return nil }
        if callNotes.areEmpty { return (created, found, NotedCall()) }
        // The call has to begin before the table is replaced.
        guard
            case .success(let call) = MeasuredCall.enter(
                found.door.map { [$0] } ?? [], noting: callNotes.epochs, onMainThread: false),
            isAtFront(table)
        else { return nil }
        let account = found.book?.current?.takeUnretainedValue()
        return (created, found, NotedCall(running: call, account: account))
    }
}

/// The notes that a container takes of a call.
struct NotedCall: Sendable {
    /// The call; `nil` if there is nothing to note.
    var running: MeasuredCall?
    /// The account of the call; `nil` if no host judges the module.
    var account: CallAccount?
    /// Whether further calls of the same object would be as good, until the container changes.
    var isLasting = true

    func perform<Result>(_ body: () throws -> Result) throws -> Result {
        guard let running else { return try body() }
        let noted = account?.begin()
        do {
            let result = try MeasuredCall.$current.withValue(running) { try body() }
            end(noted)
            return result
        } catch {
            end(noted, error)
            throw error
        }
    }

    /// Performs the call on the actor of the caller.
    func performAsync<Result>(
        isolation: isolated (any Actor)?, _ body: () async throws -> Result
    ) async throws -> Result {
        guard let running else { return try await body() }
        let noted = account?.begin()
        do {
            let result = try await MeasuredCall.$current.withValue(
                running, operation: body, isolation: isolation)
            end(noted)
            return result
        } catch {
            end(noted, error)
            throw error
        }
    }

    /// Notes a call that ends now, if a host judges the module.
    private func end(_ noted: CallAccount.Call?, _ error: (any Error)? = nil) {
        if let noted { account?.end(noted, isError: error != nil && !(error is CancellationError)) }
        running?.end()
    }
}

extension Container {
    func measured<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> (service: Service, call: NotedCall) {
        let context = ThreadContext.current
        guard context.isResolving else { return try measuredNow(service, name: name) }
        // A call goes to the module that serves now, also from a factory: the state is there.
        return try context.freshly(from: self, in: currentTable) { () throws(ResolutionError) in
            try measuredNow(service, name: name)
        }
    }

    private func measuredNow<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> (service: Service, call: NotedCall) {
        if callNotes.areEmpty {
            let instance = try resolve(service, name: name)
            // This may have loaded a module with a life cycle.
            if callNotes.areEmpty { return (instance, NotedCall()) }
        }
        while true {
            let doors = try answer(service, name: name).doors
            switch MeasuredCall.enter(
                doors, noting: callNotes.epochs, onMainThread: eaves_is_main_thread())
            {
            case .failure(.over): continue
            case .failure(.shut(let closure)): closure.wait()
            case .success(let call):
                let found = try MeasuredCall.$current.resolving(with: call) {
                    () throws(ResolutionError) in
                    try noted(in: call, try counted(service, name: name), name)
                }
                if let found { return found }
            }
        }
    }

    func measuredAsync<Service: Sendable>(
        _ service: Service.Type, name: String?, by resolver: any Resolver
    ) async throws(ResolutionError) -> (Service, NotedCall) {
        if callNotes.areEmpty {
            let instance = try await resolver.resolveAsync(service, name: name)
            // This may have loaded a module with a life cycle.
            if callNotes.areEmpty { return (instance, NotedCall()) }
        }
        while true {
            let doors = try answer(service, name: name).doors
            switch MeasuredCall.enter(doors, noting: callNotes.epochs, onMainThread: false) {
            case .failure(.over): continue
            case .failure(.shut(let closure)): await closure.waitAsync()
            case .success(let call):
                let found = try await MeasuredCall.$current.resolvingAsync(with: call) {
                    () async throws(ResolutionError) in
                    try noted(in: call, try await countedAsync(service, name: name), name)
                }
                if let found { return found }
            }
        }
    }

    /// - Returns: `nil` if another generation, or another module, has the service by now.
    private func noted<Service: Sendable>(
        in call: MeasuredCall, _ found: (service: Service, account: CallAccount?), _ name: String?
    ) throws(ResolutionError) -> (Service, NotedCall)? {
        let doors = try answer(Service.self, name: name).doors
        guard call.isThrough(doors) else { return nil }
        let isLasting = doors.isEmpty && lineage.allSatisfy { $0.isAtFront($0.currentTable) }
        return (
            found.service, NotedCall(running: call, account: found.account, isLasting: isLasting)
        )
    }

    /// The provider of a service at the moment.
    private struct Answer {
        let owner: Container
        /// Leads to the account of a call; `nil` for the host's own services.
        let book: CallAccounts.Book?
        /// The modules that share the service, if several do.
        let shares: CallShares?
        /// The doors of all registrations that may answer; none if their modules have no life cycle. One of a generation
        /// that serves no longer, and that an outer call keeps from being stopped, has none either.
        let doors: [CallGate.Door]

        // SAFETY: a call has begun, so the account lives.
        var account: CallAccount? { book?.current?.takeUnretainedValue() }
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
            return Answer(owner: self, book: found.book, shares: shares, doors: doors)
        }
        if let answer { return answer }
        return try owner(of: key, service, in: context).answer(service, name: name)
    }

    /// Finds or creates the service for a call that has begun.
    ///
    /// - Returns: The service, and the account in which the call is still to be noted.
    private func counted<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> (Service, CallAccount?) {
        let answer = try answer(service, name: name)
        if let shares = answer.shares {
            return try answer.owner.share(service, name: name, by: shares)
        }
        var creation = CallAccount.Creation(answer.account)
        return (try answer.owner.resolve(service, name: name), creation.end())
    }

    private func countedAsync<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) async throws(ResolutionError) -> (Service, CallAccount?) {
        let answer = try answer(service, name: name)
        if let shares = answer.shares {
            return try await answer.owner.shareAsync(service, name: name, by: shares)
        }
        var creation = CallAccount.Creation(answer.account)
        return (try await answer.owner.resolveAsync(service, name: name), creation.end())
    }
}

extension IndirectResolver {
    func performCall<Service: Sendable, Result>(
        _ service: Service.Type, name: String?, _ body: (Service, Bool) throws -> Result
    ) throws -> Result {
        let (instance, call) = try ask(service, name) { (container) throws(ResolutionError) in
            try container.measured(service, name: name)
        }
        return try call.perform { try body(instance, call.isLasting) }
    }

    func performCallAsync<Service: Sendable, Result>(
        _ service: Service.Type, name: String?, isolation: isolated (any Actor)?,
        _ body: (Service) async throws -> Result
    ) async throws -> Result {
        let container = try ask(service, name) { $0 }
        let (instance, call) = try await container.measuredAsync(service, name: name, by: self)
        return try await call.performAsync(isolation: isolation) { try await body(instance) }
    }
}
