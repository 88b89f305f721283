// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesInterface
import Synchronization

/// The one instance of a shared registration: made once, however many threads ask.
///
/// While it is being made only those who want it wait. Waiting for each other in a circle is found
/// before anybody waits, through ``WaitGraph``.
final class SharedInstance<Service: Sendable>: Sendable {
    private enum State {
        case absent
        case building(waiting: [DispatchSemaphore])
        case ready(Service)
    }

    private enum Turn {
        case use(Service)
        case build
        case wait(DispatchSemaphore)
    }

    private let state = Mutex(State.absent)
    private let node = WaitGraph.Node()

    /// The instance, made by `make` if there is none yet.
    ///
    /// - Parameters:
    ///   - builder: Who asks: one for each resolution that began at the outside.
    ///   - cycle: The error to throw if waiting would never end.
    ///   - make: Makes it. If it throws, the next who asks makes it.
    func value(
        for builder: WaitGraph.Builder, cycle: () -> ResolutionError,
        make: () throws(ResolutionError) -> Service
    ) throws(ResolutionError) -> Service {
        while true {
            switch turn() {
            case .use(let service):
                return service
            case .build:
                WaitGraph.begin(node, by: builder)
                do throws(ResolutionError) {
                    let service = try make()
                    finish(.ready(service))
                    return service
                } catch {
                    finish(.absent)
                    throw error
                }
            case .wait(let semaphore):
                guard WaitGraph.wait(on: node, by: builder) else { throw cycle() }
                semaphore.wait()
                WaitGraph.resume(builder)
            }
        }
    }

    private func turn() -> Turn {
        state.withLock { state in
            switch state {
            case .ready(let service):
                return .use(service)
            case .absent:
                state = .building(waiting: [])
                return .build
            case .building(let waiting):
                let semaphore = DispatchSemaphore(value: 0)
                state = .building(waiting: waiting + [semaphore])
                return .wait(semaphore)
            }
        }
    }

    private func finish(_ outcome: sending State) {
        WaitGraph.end(node)
        let woken = state.withLock { state -> [DispatchSemaphore] in
            defer { state = outcome }
            if case .building(let waiting) = state { return waiting }
            return []
        }
        woken.forEach { $0.signal() }
    }
}
