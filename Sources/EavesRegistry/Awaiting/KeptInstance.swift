// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// An instance that is kept once it is made, or, weakly, as long as somebody else keeps it.
final class KeptInstance<Service: Sendable>: Sendable {
    private let weak: WeakInstance<Service>?
    private let strong = Guarded<Service?>(nil)

    init(isWeak: Bool) {
        weak = isWeak ? WeakInstance() : nil
    }

    /// The instance, if it is there.
    var value: Service? {
        if let weak { return weak.instance }
        return strong.withLock { $0 }
    }

    /// Keeps what was made. Not to be called if there is one.
    func keep(_ service: Service) {
        if let weak {
            weak.remember(service)
        } else {
            strong.withLock { $0 = service }
        }
    }
}
