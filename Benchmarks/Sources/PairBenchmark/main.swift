// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Times two programs in turn and prints one row of a Markdown table: the medians of both and of the
// rounds' ratios, so that what slows the machine down in a round slows both.
//
//     PairBenchmark ROUNDS ratio|more NAME AT-MOST FOLDER COMMAND… -- FOLDER COMMAND…
//
// 'ratio' tells how often the first's time goes into the second's, 'more' how much longer the second
// takes. A command that begins with 'own' prints its nanoseconds itself; of others the time of the
// whole process counts.

let words = Array(CommandLine.arguments.dropFirst())
guard words.count > 4, let rounds = Int(words[0]), rounds > 0 else {
    fatalError("usage: PairBenchmark ROUNDS ratio|more NAME AT-MOST FOLDER COMMAND… -- …")
}
let commands = words.dropFirst(4).split(separator: "--").map { Command(Array($0)) }
var times: [[Double]] = [[], []]
for round in -2..<rounds {
    for index in 0..<2 {
        let time = commands[index].milliseconds()
        // The first rounds fill caches.
        if round >= 0 { times[index].append(time) }
    }
}
let pairs = zip(times[0], times[1])
let result =
    words[1] == "ratio"
    ? "\(rounded(median(pairs.map { $1 / $0 }))) ×"
    : "\(rounded(median(pairs.map { $1 - $0 }))) ms more"
let row = [words[2], rounded(median(times[0])), rounded(median(times[1])), result, words[3]]
print("| " + row.joined(separator: " | ") + " |")

func median(_ values: [Double]) -> Double {
    values.sorted()[values.count / 2]
}

func rounded(_ value: Double) -> String {
    let hundredths = Int((value.magnitude * 100).rounded())
    let fraction = hundredths % 100
    return (value < 0 && hundredths > 0 ? "-" : "")
        + "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
}
