// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Measures swaps in a running host, against the least that somebody could write by hand.
//
//     SwapBenchmark FOLDER COUNT          how long a swap takes, and what others notice of it
//     SwapBenchmark FOLDER COUNT memory   what each swap costs a host that never starts anew
//     SwapBenchmark FOLDER COUNT program SWAPS COMMAND…
//                                         how much memory a program takes that starts anew by itself
//
// The folder has a manifest, and COUNT generations of a module as `generations/NNNN.so`.

import Dispatch
import EavesHost
import EavesInterface
import Glibc
import HandWritten
import Synchronization

let folder = CommandLine.arguments[1]
let count = Int(CommandLine.arguments[2])!

func number(_ value: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: 4 - digits.count) + digits
}

/// The generation that a host gives now.
func feature(of host: Host) -> any Feature {
    do {
        return try host.resolve((any Feature).self, name: "swap")
    } catch {
        fatalError("a resolve failed: \(error)")
    }
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// Puts a generation where the program that watches sees it, in one step. It is a file of its own: one with a second name
/// could be written to by that name, and Eaves would watch it by itself, besides its folder.
///
/// - Returns: When that was.
@discardableResult
func put(_ generation: Int, to target: String) -> ContinuousClock.Instant {
    let copy = "\(folder)/copy.so"
    let source = open("\(folder)/generations/\(number(generation)).so", O_RDONLY)
    let written = creat(copy, 0o755)
    guard sendfile(written, source, nil, 1 << 30) > 0, close(source) == 0, close(written) == 0
    else { fatalError("cannot copy") }
    let start = ContinuousClock.now
    guard rename(copy, target) == 0 else { fatalError("cannot rename") }
    return start
}

/// Puts a generation there, and waits until the program gives it out.
func time(_ generation: Int, to target: String, until isThere: (String) -> Bool) -> Double {
    let name = number(generation)
    let start = put(generation, to: target)
    while !isThere(name) {}
    return (ContinuousClock.now - start) / .microseconds(1)
}

/// By hand: waits for a file, loads it, and takes its registry as the one that counts.
final class WatchedByHand: Sendable {
    private let current = Mutex<Registry?>(nil)
    let folder: String

    init(_ folder: String) {
        self.folder = folder
        let events = inotify_init1(Int32(IN_CLOEXEC))
        inotify_add_watch(events, folder, UInt32(IN_MOVED_TO))
        DispatchQueue(label: "by hand").async { [self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while read(events, &buffer, buffer.count) > 0 {
                let name = buffer[16...].prefix { $0 != 0 }
                let registry = Registry()
                registry.load("\(folder)/\(String(decoding: name, as: UTF8.self))")
                current.withLock { $0 = registry }
            }
        }
    }

    var feature: String {
        guard let registry = current.withLock({ $0 }),
            let feature = try? registry.resolve((any Feature).self, name: "swap")
        else { return "" }
        return "\(feature)"
    }
}

/// Counts how often two threads resolve within a time, while something else happens.
func throughput(_ host: Host, _ body: () -> Void) -> Double {
    let isOver = Atomic(false)
    let total = Atomic(0)
    let group = DispatchGroup()
    for number in 0..<2 {
        DispatchQueue(label: "load \(number)").async(group: group) {
            var own = 0
            while !isOver.load(ordering: .relaxed) {
                for _ in 0..<100 { _ = feature(of: host) }
                own += 100
            }
            total.add(own, ordering: .relaxed)
        }
    }
    let start = ContinuousClock.now
    body()
    isOver.store(true, ordering: .relaxed)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    group.wait()
    return Double(total.load(ordering: .relaxed)) / seconds
}

let plugin = "\(folder)/Plugins/swap.so"
put(0, to: plugin)
if CommandLine.arguments.dropFirst(3).first == "program" {
    let words = Array(CommandLine.arguments.dropFirst(4))
    ProgramMemory(words: Array(words.dropFirst()), count: count, plugin: plugin)
        .report(swaps: Int(words.first ?? "") ?? 0)
    exit(0)
}
let host = try Host(manifest: folder)
_ = try host.resolve((any Feature).self, name: "swap")
let following = try host.follow()
if CommandLine.arguments.dropFirst(3).first == "memory" {
    MemoryOfSwaps(host: host, count: count, plugin: plugin).report()
    exit(0)
}
let byHand = WatchedByHand("\(folder)/hand")

var ours: [Double] = []
var theirs: [Double] = []
for generation in 1..<count {
    theirs.append(
        time(generation, to: "\(byHand.folder)/\(number(generation)).so") { byHand.feature == $0 })
    ours.append(
        time(generation, to: plugin) {
            "\(feature(of: host))" == $0
        })
}
print("| case | by hand, µs | eaves, µs | more, µs | at most |")
print("| --- | --: | --: | --: | --: |")
let (hand, eaves) = (median(theirs), median(ours))
print(
    "| a new file, until a resolve gives the new implementation, median of \(ours.count) "
        + "| \(Int(hand)) | \(Int(eaves)) | \(Int(eaves - hand)) | 1000 |")

var ratios: [Double] = []
for round in 0..<5 {
    let alone = throughput(host) { usleep(1_000_000) }
    let swapped = throughput(host) {
        for step in 0..<10 {
            let generation = 1 + (round * 10 + step) % (count - 1)
            put(generation, to: plugin)
            usleep(100_000)
        }
    }
    ratios.append(swapped / alone)
}
print()
print("| case | ratio | at least |")
print("| --- | --: | --: |")
let ratio = (median(ratios) * 100).rounded() / 100
print("| resolves from two threads, with ten swaps a second against none | \(ratio) | 0.95 |")
let swaps = 1_000
let resolves = SteadyResolves(host: host, count: count).during { resolves in
    // The one that serves is that of the last round.
    var generation = 1 + 49 % (count - 1)
    for _ in 0..<swaps {
        let next = (generation + 1) % count
        resolves.expect(generation, next)
        _ = time(next, to: plugin) { "\(feature(of: host))" == $0 }
        resolves.expect(next, next)
        generation = next
    }
}
print()
print("| case | resolves | failed | stale after the switch | at most | |")
print("| --- | --: | --: | --: | --: | --- |")
print(
    "| resolves from two threads during \(swaps) swaps | \(resolves.total) | \(resolves.failed) "
        + "| \(resolves.stale) | 0 | \(resolves.failed + resolves.stale == 0 ? "met" : "missed") |")
withExtendedLifetime(following) {}
