// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
package import EavesInterface

extension Container {
    package func resolveAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        let found: FoundService<Service>
        do throws(ResolutionFailure) {
            found = try look(for: service, name: name, repeat each arguments)
        } catch {
            throw error.error
        }
        return try await make(found, repeat each arguments)
    }

    /// What was found, made if it has to be awaited.
    func make<Service: Sendable, each Argument: Sendable>(
        _ found: FoundService<Service>, _ arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        switch found {
        case .made(let service):
            return service
        case .awaited(let registration, let owner):
            return try await owner.make(registration, Service.self, repeat each arguments)
        case .underWay(let registration, let building):
            await building.ended()
            if Task.isCancelled { throw cancelled(registration.request) }
            return try await resolveAsync(
                Service.self, name: registration.key.name, arguments: repeat each arguments)
        }
    }

    /// Finds what was asked for, and makes it if that need not be awaited.
    func look<Service: Sendable, each Argument: Sendable>(
        for service: Service.Type, name: String?, _ arguments: repeat each Argument
    ) throws(ResolutionFailure) -> FoundService<Service> {
        let reader = eaves_reader_current()
        let before = reader.enter()
        defer { reader.leave(before) }
        let key = ServiceKey(service, name: name, arguments: repeat (each Argument).self)
        guard let found = registration(of: key) else {
            let owner = try owner(
                of: key, service, for: reader, repeat (each Argument).self)
            return try owner.look(for: service, name: name, repeat each arguments)
        }
        // SAFETY: the section keeps it alive, until the value counts its own reference.
        let registration = found.takeUnretainedValue()
        if registration.traits.isAwaited { return .awaited(registration, self) }
        // SAFETY: every registration of a service is of this class.
        let factory = unsafeDowncast(registration, to: ServiceFactory<Service>.self)
        if reader.isIdle, let building = factory.building, building.isUnderWay {
            return .underWay(registration, building)
        }
        return .made(try make(registration, for: reader, repeat each arguments))
    }

    /// Makes what need not be awaited.
    ///
    /// - Parameter registration: Of just this service and these arguments.
    func make<Service: Sendable, each Argument: Sendable>(
        _ registration: Registration, for reader: Reader, _ arguments: repeat each Argument
    ) throws(ResolutionFailure) -> Service {
        guard ServiceKey.takesArguments(repeat (each Argument).self) else {
            // SAFETY: without arguments, only a `PlainFactory` is ever stored under the key.
            let factory = unsafeDowncast(registration, to: PlainFactory<Service>.self)
            return try kept(factory, for: reader) { try factory.make($0) }
        }
        // SAFETY: only a `Factory` of just these is ever stored under the key.
        let factory = unsafeDowncast(registration, to: Factory<Service, repeat each Argument>.self)
        return try kept(factory, for: reader) { try factory.call($0, repeat each arguments) }
    }

    private func make<Service: Sendable, each Argument: Sendable>(
        _ registration: Registration, _ service: Service.Type, _ arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        switch registration.traits.awaited {
        case let factory as AsyncFactory<Service, repeat each Argument>:
            return try await make(factory, of: registration, repeat each arguments)
        case let factory as MainActorFactory<Service, repeat each Argument>:
            if let made = factory.instance?.value { return made }
            if Task.isCancelled { throw cancelled(registration.request) }
            return try await makeOnMainActor(factory, of: registration, repeat each arguments)
        default:
            preconditionFailure("the key holds the types of service and arguments")
        }
    }

    private func make<Service: Sendable, each Argument: Sendable>(
        _ factory: AsyncFactory<Service, repeat each Argument>, of registration: Registration,
        _ arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        if let made = factory.instance?.kept { return made }
        let asker = AsyncResolution.frame
        try checkCycle(registration, in: asker)
        let graph = AsyncResolution.enterGraph()
        defer { graph.leave() }
        guard
            let instance = registration.scope == .graph
                ? graph.asyncInstance(of: registration, Service.self) : factory.instance
        else {
            let frame = AsyncFrame(registration, parent: asker)
            return try await run(factory, of: registration, in: frame, graph, repeat each arguments)
                .get()
        }
        let ending = await instance.get(registration.request, for: asker?.currentMaking) { making in
            // Whoever asked first may have gone by now, and with him the resolution.
            let graph = ResolutionGraph.enter(graph)
            defer { graph.leave() }
            let frame = AsyncFrame(registration, making: making)
            return await self.run(
                factory, of: registration, in: frame, graph, repeat each arguments)
        }
        switch ending {
        case .made(let service): return service
        case .failed(let error): throw error.needed(by: asker?.chain ?? [])
        case .cancelled: throw cancelled(registration.request)
        case .cycle(let path):
            throw ResolutionError(.cycle, wanted: path[path.count - 1], chain: path.dropLast())
                .needed(by: asker?.chain ?? [])
        }
    }

    /// Runs the factory in the current task.
    private func run<Service: Sendable, each Argument: Sendable>(
        _ factory: AsyncFactory<Service, repeat each Argument>, of registration: Registration,
        in frame: AsyncFrame, _ graph: ResolutionGraph, _ arguments: repeat each Argument
    ) async -> Result<Service, ResolutionError> {
        let chain = frame.chain
        defer { frame.end() }
        do {
            let resolution = AsyncResolution(frame, graph)
            return .success(
                try await AsyncResolution.$current.withValue(resolution) {
                    let resolver = AsyncMakingResolver(self, resolution)
                    return try await factory.call(resolver, repeat each arguments)
                })
        } catch let error as ResolutionError {
            return .failure(error)
        } catch {
            let isCancelled = error is CancellationError && Task.isCancelled
            return .failure(
                ResolutionError(
                    isCancelled ? .cancelled : .factoryFailed(error),
                    wanted: registration.request, chain: chain.dropLast()))
        }
    }

    /// As `Reader.checkCycle`.
    private func checkCycle(
        _ registration: Registration, in asker: AsyncFrame?
    ) throws(ResolutionError) {
        guard let asker else { return }
        let depth = asker.depth(of: registration)
        guard depth > (registration.request.arguments.isEmpty ? 0 : 100) else { return }
        throw ResolutionError(.cycle, wanted: registration.request, chain: asker.chain)
    }

    private func cancelled(_ request: ServiceRequest) -> ResolutionError {
        ResolutionError(.cancelled, wanted: request, chain: AsyncResolution.chain)
    }
}

extension ResolutionError {
    /// The error of a making, as it is for one who waited for it.
    ///
    /// - Parameter needs: What that one was making, outermost first.
    fileprivate func needed(by needs: [ServiceRequest]) -> ResolutionError {
        var chain = needs + chain
        var wanted = wanted
        if case .cycle = reason {
            // Both may know of the same circle: it is shown once.
            var seen: Set<ServiceRequest> = []
            let all = chain + [wanted]
            if let end = all.firstIndex(where: { !seen.insert($0).inserted }) {
                wanted = all[end]
                chain = Array(all[..<end])
            }
        }
        return ResolutionError(reason, wanted: wanted, chain: chain, candidates: candidates)
    }
}
