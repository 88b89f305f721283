// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// What the current task asks for things as: a factory that it runs, within a resolution.
struct AsyncResolution: Sendable {
    /// Inherited by the tasks that a factory starts.
    @TaskLocal static var current: AsyncResolution?

    private let frame: AsyncFrame
    /// What the resolution has made in the graph scope.
    let graph: ResolutionGraph

    init(_ frame: AsyncFrame, _ graph: ResolutionGraph) {
        self.frame = frame
        self.graph = graph
    }

    /// The factory that the current task runs, if it runs one.
    static var frame: AsyncFrame? { current?.frame.active }

    /// Whether its factory is running, and the current task does not know.
    var isElsewhere: Bool {
        frame.active != nil && !(Self.frame?.isInside(frame) ?? false)
    }

    /// What the current task is making, outermost first.
    static var chain: [ServiceRequest] { frame?.chain ?? [] }

    /// Enters the graph of the resolution that the current task is a part of, as long as that lasts;
    /// else a new one. To be left with `leave()`.
    static func enterGraph() -> ResolutionGraph { ResolutionGraph.enter(current?.graph) }
}
