// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Times whole processes, in turn, and prints a table of medians and ratios.
//
//     ProcessBenchmark FOLDER ROUNDS NAME COMMAND… -- NAME COMMAND… -- …
//
// Each line has its ratio to the lines above it.

@preconcurrency import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count > 3, let rounds = Int(arguments[1]), rounds > 0 else {
    print("usage: ProcessBenchmark FOLDER ROUNDS NAME COMMAND… -- NAME COMMAND… -- …")
    exit(64)
}
guard chdir(arguments[0]) == 0 else {
    print("cannot go to \(arguments[0])")
    exit(66)
}
let programs = arguments.dropFirst(2).split(separator: "--").map {
    Program(name: $0[$0.startIndex], command: Array($0.dropFirst()))
}
print(Comparison(programs: programs, rounds: rounds).table)
