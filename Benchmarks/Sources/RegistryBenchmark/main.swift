// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Times the registry against the same work without a registry, and prints a table.
//
//     RegistryBenchmark ROUNDS PROBE [CASE…]
//                                        the table, or these cases of it; PROBE is the built Benchmarks/Probe
//     RegistryBenchmark memory           allocations of each hit, and the growth of memory
//     RegistryBenchmark run CASE COUNT   runs one case only, for tools that count instructions; none with a hundred
//                                        thousand services, or in a module
//
// Benchmarks/registry does all of it.

@preconcurrency import Glibc

switch CommandLine.arguments.dropFirst().first {
case "memory":
    print(try MemoryReport.text())
case "run":
    let arguments = CommandLine.arguments.dropFirst(2)
    guard let count = arguments.dropFirst().first.flatMap({ Int($0) }),
        let item = try Cases.small().first(where: { $0.name == arguments.first })
    else {
        print("usage: RegistryBenchmark run CASE COUNT")
        exit(64)
    }
    _ = try item.run(count)
case let rounds?:
    let probe = CommandLine.arguments.dropFirst(2).first.flatMap(Probe.init)
    let wanted = CommandLine.arguments.dropFirst(3)
    let cases = try Cases.all(probe: probe).filter { wanted.isEmpty || wanted.contains($0.name) }
    let measurement = Measurement(
        cases: cases, rounds: max(7, Int(rounds) ?? 0), iterations: 2_000_000)
    print(try measurement.table())
case nil:
    print("usage: RegistryBenchmark ROUNDS PROBE [CASE…] | memory | run CASE COUNT")
    exit(64)
}
