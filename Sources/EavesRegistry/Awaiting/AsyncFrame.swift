// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization

/// A factory that is being awaited, and the one for which it makes something.
///
/// Tasks that a factory starts inherit its frame, and may outlive it. What they ask for then is no
/// need of the factory: frames count as long as they have not ended.
final class AsyncFrame: Sendable {
    let registration: Registration
    private let parent: AsyncFrame?
    /// The making that this frame begins; `nil` if it runs in the task of who asked.
    private let making: Making?
    private let hasEnded = Atomic(false)

    /// - Parameters:
    ///   - registration: Whose factory is about to run.
    ///   - parent: Whose task it runs in; `nil` for one of its own.
    ///   - making: The making, if it runs in a task of its own.
    init(_ registration: Registration, parent: AsyncFrame? = nil, making: Making? = nil) {
        self.registration = registration
        self.parent = parent
        self.making = making
    }

    /// The frame, if its factory has not returned.
    var active: AsyncFrame? { hasEnded.load(ordering: .acquiring) ? nil : self }

    /// What is being made, outermost first, from where the task begins.
    var chain: [ServiceRequest] { frames.map(\.registration.request).reversed() }

    /// The making that it is a part of.
    var currentMaking: Making? { frames.lazy.compactMap(\.making).first }

    /// Notes that the factory has returned.
    func end() {
        hasEnded.store(true, ordering: .releasing)
    }

    /// Whether it is a frame, or runs for its factory in the same task or one that knows.
    func isInside(_ other: AsyncFrame) -> Bool { frames.contains { $0 === other } }

    /// How often a registration's factory is running here.
    func depth(of registration: Registration) -> Int {
        frames.lazy.filter { $0.registration === registration }.count
    }

    /// Innermost first.
    private var frames: some Sequence<AsyncFrame> {
        sequence(state: active) { next -> AsyncFrame? in
            defer { next = next?.parent?.active }
            return next
        }
    }
}
