// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// A factory that is being awaited, and the one for which it makes something.
///
/// Tasks that a factory starts inherit its frame, and may outlive it. What they ask for then is no
/// need of the factory: frames count as long as they have not ended.
final class AsyncFrame: Sendable {
    private struct Run: Sendable {
        let registration: Registration
        let parent: AsyncFrame?
        let making: Making?
    }

    /// `nil` when the factory has returned, so that who keeps the frame keeps nothing else.
    private let run: Guarded<Run?>

    /// - Parameters:
    ///   - registration: Whose factory is about to run.
    ///   - parent: Whose task it runs in; `nil` for one of its own.
    ///   - making: The making that this begins, if it runs in a task of its own.
    init(_ registration: Registration, parent: AsyncFrame? = nil, making: Making? = nil) {
        run = Guarded(Run(registration: registration, parent: parent, making: making))
    }

    /// The frame, if its factory has not returned.
    var active: AsyncFrame? { current == nil ? nil : self }

    /// What is being made, outermost first, from where the task begins.
    var chain: [ServiceRequest] { frames.map(\.run.registration.request).reversed() }

    /// The making that it is a part of.
    var currentMaking: Making? { frames.lazy.compactMap(\.run.making).first }

    /// Notes that the factory has returned.
    func end() {
        let ended = run.withLock { run in
            defer { run = nil }
            return run
        }
        // Released here, where no lock is held.
        withExtendedLifetime(ended) {}
    }

    /// Whether it is a frame, or runs for its factory in the same task or one that knows.
    func isInside(_ other: AsyncFrame) -> Bool { frames.contains { $0.frame === other } }

    /// How often a registration's factory is running here.
    func depth(of registration: Registration) -> Int {
        frames.lazy.filter { $0.run.registration === registration }.count
    }

    private var current: Run? { run.withLock { $0 } }

    /// Innermost first.
    private var frames: some Sequence<(frame: AsyncFrame, run: Run)> {
        sequence(state: self) { (next: inout AsyncFrame?) -> (frame: AsyncFrame, run: Run)? in
            guard let frame = next, let run = frame.current else { return nil }
            next = run.parent
            return (frame, run)
        }
    }
}
