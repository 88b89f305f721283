// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import ReadingAPI

/// Asks so many times from code inside a loaded module.
@c(eaves_probe_ask)
public func eavesProbeAsk(_ resolver: UnsafeRawPointer, _ count: Int) -> Int {
    // SAFETY: `Probe` in RegistryBenchmark hands over just this, for the call.
    let resolver = resolver.assumingMemoryBound(to: (any Resolver).self).pointee
    do {
        var sum = 0
        for _ in 0..<count {
            sum &+= try resolver.borrow((any Console).self) { $0.isInteractive ? 1 : 0 }
        }
        return sum
    } catch {
        return -1
    }
}

/// Resolves so many times from code inside a loaded module.
@c(eaves_probe_resolve)
public func eavesProbeResolve(_ resolver: UnsafeRawPointer, _ count: Int) -> Int {
    // SAFETY: `Probe` in RegistryBenchmark hands over just this, for the call.
    let resolver = resolver.assumingMemoryBound(to: (any Resolver).self).pointee
    var sum = 0
    for _ in 0..<count {
        guard let console = try? resolver.resolve((any Console).self) else { return -1 }
        sum &+= console.isInteractive ? 1 : 0
    }
    return sum
}

/// Resolves a service of an interface module so many times from code inside a loaded module.
@c(eaves_probe_resolve_other)
public func eavesProbeResolveOther(_ resolver: UnsafeRawPointer, _ count: Int) -> Int {
    // SAFETY: `Probe` in RegistryBenchmark hands over just this, for the call.
    let resolver = resolver.assumingMemoryBound(to: (any Resolver).self).pointee
    var sum = 0
    for _ in 0..<count {
        guard let reading = try? resolver.resolve((any Reading).self) else { return -1 }
        sum &+= reading.isInteractive ? 1 : 0
    }
    return sum
}

/// Borrows so many times through a handle.
@c(eaves_probe_handle)
public func eavesProbeHandle(_ resolver: UnsafeRawPointer, _ count: Int) -> Int {
    // SAFETY: `Probe` in RegistryBenchmark hands over just this, for the call.
    let resolver = resolver.assumingMemoryBound(to: (any Resolver).self).pointee
    do {
        var handle = try resolver.handle((any Console).self)
        var sum = 0
        for _ in 0..<count { sum &+= try handle.borrow { $0.isInteractive ? 1 : 0 } }
        return sum
    } catch {
        return -1
    }
}
