// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
@preconcurrency import Glibc

/// A loaded module with a function that resolves many times.
struct Probe: Sendable {
    private typealias Function = @convention(c) (UnsafeRawPointer, Int) -> Int

    private let function: Function

    init?(path: String) {
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE),
            let symbol = dlsym(handle, "eaves_probe")
        else { return nil }
        // SAFETY: Benchmarks/Probe/Probe.swift defines it so, and the module is never unloaded.
        function = unsafeBitCast(symbol, to: Function.self)
    }

    func run(_ resolver: any Resolver, _ count: Int) -> Int {
        // SAFETY: the pointer is used during the call only.
        withUnsafePointer(to: resolver) { function(UnsafeRawPointer($0), count) }
    }
}
