// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Times the registry against the same work without a registry, and prints a table.
//
//     RegistryBenchmark ROUNDS PROBE     the table; PROBE is the built Benchmarks/Probe
//     RegistryBenchmark memory           allocations of each hit, and the growth of memory
//
// Benchmarks/registry does all of it.

@preconcurrency import Glibc

switch CommandLine.arguments.dropFirst().first {
case "memory":
    print(try MemoryReport.text())
case let rounds?:
    let probe = CommandLine.arguments.dropFirst(2).first.flatMap(Probe.init)
    let measurement = Measurement(
        cases: try Cases.all(probe: probe), rounds: max(7, Int(rounds) ?? 0), iterations: 2_000_000)
    print(try measurement.table())
case nil:
    print("usage: RegistryBenchmark ROUNDS PROBE | memory")
    exit(64)
}
