// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
import EavesInterface

/// What a ``Lazy`` of a container keeps: asked for once, however many threads use it first.
///
/// Those who wait for it are part of the ``WaitGraph``, so that it can be used while something is
/// built.
final class LazyInstance<Service: Sendable>: Sendable {
    private struct State {
        var instance: Service?
        /// `nil` when it is there, so that nothing is kept but the instance.
        var resolver: WeakResolver?
    }

    private let name: String?
    private let state: Guarded<State>
    private let building = Construction()

    init(_ service: Service.Type, name: String?, from resolver: WeakResolver) {
        self.name = name
        state = Guarded(State(resolver: resolver))
    }

    func get() throws(ResolutionError) -> Service {
        let reader = eaves_reader_current()
        while true {
            let (known, resolver) = state.withLock { ($0.instance, $0.resolver) }
            if let known { return known }
            guard let resolver else { preconditionFailure("who asks is there until it is known") }
            do throws(ResolutionFailure) {
                let isMine = try building.begin(
                    for: reader, unless: { state.withLock { $0.instance != nil } },
                    cycle: { cycle(for: reader) })
                guard isMine else { continue }
            } catch {
                // Only what is outermost can step back: nobody waits for anything of this thread's.
                if reader.pointee.depth == 0, reader.stepBack() { continue }
                throw error.error
            }
            defer { building.end() }
            let instance = try resolver.resolve(Service.self, name: name)
            state.withLock { $0 = State(instance: instance) }
            return instance
        }
    }

    private func cycle(for reader: Reader) -> ResolutionFailure {
        let wanted = ServiceRequest(Service.self, name: name)
        return reader.crossing(
            building, ResolutionError(.cycle, wanted: wanted, chain: reader.chain))
    }
}
