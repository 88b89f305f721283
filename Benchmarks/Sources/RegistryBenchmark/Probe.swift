// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
@preconcurrency import Glibc

/// A loaded module with functions that ask many times.
struct Probe: Sendable {
    private typealias Function = @convention(c) (UnsafeRawPointer, Int) -> Int

    private let asking: Function
    private let borrowing: Function

    init?(path: String) {
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE),
            let asking = dlsym(handle, "eaves_probe_resolve"),
            let borrowing = dlsym(handle, "eaves_probe_borrow")
        else { return nil }
        // SAFETY: Benchmarks/Probe/Probe.swift defines it so, and the module is never unloaded.
        self.asking = unsafeBitCast(asking, to: Function.self)
        // SAFETY: as above.
        self.borrowing = unsafeBitCast(borrowing, to: Function.self)
    }

    /// Resolves so many times.
    func resolve(_ resolver: any Resolver, _ count: Int) -> Int { run(asking, resolver, count) }

    /// Borrows through a handle so many times.
    func borrow(_ resolver: any Resolver, _ count: Int) -> Int { run(borrowing, resolver, count) }

    private func run(_ function: Function, _ resolver: any Resolver, _ count: Int) -> Int {
        // SAFETY: the pointer is used during the call only.
        withUnsafePointer(to: resolver) { function(UnsafeRawPointer($0), count) }
    }
}
