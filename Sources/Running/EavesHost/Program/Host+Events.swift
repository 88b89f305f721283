// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

extension Host {
    /// The events from now on, as a sequence of its own for each call. It keeps the events that nobody has
    /// read yet, and ends when its task is cancelled.
    public var events: AsyncStream<HostEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: HostEvent.self)
        let observation = observers.add { continuation.yield($0) }
        continuation.onTermination = { _ in observation.cancel() }
        return stream
    }

    /// Tells the observers of an event.
    package func report(_ event: HostEvent) {
        observers.tell(event)
    }

    /// The ids of the modules that this host has loaded, in the order in which it did.
    public var loadedModules: [String] { observers.loaded }
}
