// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
import EavesInterface

// A registration may stand on another one, which it decorates. Each keeps what its scope keeps, so
// that what was made before a decorator came is decorated, and not made again.
extension Registration {
    /// The same registration as it was before anything was made.
    func renewed() -> Registration {
        guard let layer = traits.layer else {
            var traits = traits
            if let awaited = traits.awaited { traits.awaited = awaited.renewed() }
            return copied(key: key, traits: traits)
        }
        return layer.inner.renewed().decorated(by: layer.decorator) ?? layer.inner.renewed()
    }

    /// The same, with somebody who is told when it was made.
    ///
    /// Nothing that it made is taken over: for registrations that keep nothing.
    func observed() -> Registration {
        var traits = traits
        traits.isObserved = true
        return copied(key: key, traits: traits)
    }

    /// The same, so that it keeps its place when modules register the same key later.
    func asOverriding() -> Registration {
        var traits = traits
        traits.isOverriding = true
        return copied(key: key, traits: traits)
    }

    /// The same, for those alone who ask for all.
    func asAlternative() -> Registration {
        var traits = traits
        traits.isAlternative = true
        return copied(key: alternativeKey, traits: traits)
    }

    /// The same, decorated by those of `decorators` that are for it, in their order. Itself if it is
    /// that already.
    func layered(by decorators: [Decorator]) -> Registration {
        let wanted = decorators.filter { $0.applies(to: self) }
        if wanted.isEmpty && traits.layer == nil { return self }
        var layers = layers
        var result = layers.removeFirst()
        for decorator in wanted {
            if let layer = layers.first, layer.traits.layer?.decorator === decorator {
                result = layers.removeFirst()
            } else {
                layers = []
                result = result.decorated(by: decorator) ?? result
            }
        }
        return result
    }

    /// Those who decorate it, in the order in which they do.
    var decorators: [Decorator] {
        guard let layer = traits.layer else { return [] }
        return layer.inner.decorators + [layer.decorator]
    }

    /// What is at the bottom, and each that decorates the one before.
    private var layers: [Registration] {
        guard let layer = traits.layer else { return [self] }
        return layer.inner.layers + [self]
    }
}

extension ServiceFactory {
    /// What it makes or has made, for who decorates it.
    ///
    /// - Parameter make: Calls the factory.
    func asInner(
        _ make: (any Resolver) throws -> Service
    ) throws(ResolutionError) -> Service {
        guard let owner else { preconditionFailure("only a container makes anything") }
        do throws(ResolutionFailure) {
            // SAFETY: whoever resolves holds the container.
            return try owner.takeUnretainedValue()
                .kept(self, for: eaves_reader_current(), make: make)
        } catch {
            throw error.error
        }
    }
}
