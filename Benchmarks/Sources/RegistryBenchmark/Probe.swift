// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
@preconcurrency import Glibc

/// A loaded module with functions that resolve many times.
struct Probe: Sendable {
    private typealias Code = @convention(c) (UnsafeRawPointer, Int) -> Int

    /// The functions of the module.
    enum Function: String, CaseIterable {
        case asking = "eaves_probe_ask"
        case resolving = "eaves_probe_resolve"
        case handle = "eaves_probe_handle"
        case resolvingOther = "eaves_probe_resolve_other"
    }

    private let functions: [Function: Code]

    init?(path: String) {
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else { return nil }
        var functions: [Function: Code] = [:]
        for function in Function.allCases {
            guard let symbol = dlsym(handle, function.rawValue) else { return nil }
            // SAFETY: Benchmarks/Probe/Probe.swift defines it with this type, and the module is never
            // unloaded.
            functions[function] = unsafeBitCast(symbol, to: Code.self)
        }
        self.functions = functions
    }

    /// Runs one of the functions.
    ///
    /// - Returns: How often it resolved the service; -1 after a failure.
    func run(_ function: Function, _ resolver: any Resolver, _ count: Int) -> Int {
        guard let code = functions[function] else { return -1 }
        // SAFETY: the pointer is only used during the call.
        return withUnsafePointer(to: resolver) { code(UnsafeRawPointer($0), count) }
    }
}
