// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// Resolves so many times from code inside a loaded module.
@c(eaves_probe)
public func eavesProbe(_ resolver: UnsafeRawPointer, _ count: Int) -> Int {
    // SAFETY: `Probe` in RegistryBenchmark hands over just this, for the call.
    let resolver = resolver.assumingMemoryBound(to: (any Resolver).self).pointee
    var sum = 0
    for _ in 0..<count {
        guard let console = try? resolver.resolve((any Console).self) else { return -1 }
        sum &+= console.isInteractive ? 1 : 0
    }
    return sum
}
