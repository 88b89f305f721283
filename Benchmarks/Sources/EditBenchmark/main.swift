// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Measures the time from a saved source to the answer of the new code, against the compiler alone.
//
//     EditBenchmark FOLDER ROUNDS EAVES SWIFTC OPTION…
//
// The folder has a manifest and the sources of the module `swap`, which is built. EAVES builds it whenever its
// source is saved. SWIFTC, with the options, compiles the same source alone.

import EavesHost
import EavesInterface
@preconcurrency import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count > 4, let rounds = Int(arguments[1]), rounds > 0 else {
    print("usage: EditBenchmark FOLDER ROUNDS EAVES SWIFTC OPTION…")
    exit(64)
}
let folder = arguments[0]
let source = "\(folder)/Plugins/Swap/SwapModule.swift"
/// The rounds before those that count: caches fill, and the watch learns what the compiler does.
let warmUp = 3
/// How long a round may take. In seconds.
let limit = 60.0

/// The process that builds, once it runs. Only the first thread uses it.
nonisolated(unsafe) var watch = pid_t()

func fail(_ reason: String) -> Never {
    print(reason)
    if watch > 0 { kill(watch, SIGTERM) }
    exit(70)
}

func milliseconds(since start: ContinuousClock.Instant) -> Double {
    (ContinuousClock.now - start) / .milliseconds(1)
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

func rounded(_ value: Double, _ factor: Double) -> Double { (value * factor).rounded() / factor }

/// Starts a program, which inherits the folder that this one is in.
///
/// - Parameter output: The descriptor for what it prints.
func start(_ words: [String], output: Int32) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var words = words.map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var process = pid_t()
    let code = posix_spawn(&process, words[0]!, &actions, nil, &words, environ)
    guard code == 0 else { fail("cannot run a program: \(String(cString: strerror(code)))") }
    return process
}

/// Reads lines up to one with a text.
func wait(for text: String, from file: UnsafeMutablePointer<FILE>) {
    var line = [CChar](repeating: 0, count: 4096)
    while fgets(&line, Int32(line.count), file) != nil {
        let words = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        if words.contains(text) { return }
    }
    fail("'eaves build --watch' ended before it said '\(text)'")
}

var ends: [Int32] = [0, 0]
guard chdir(folder) == 0, pipe(&ends) == 0, let messages = fdopen(ends[0], "r") else {
    fail("cannot go to \(folder)")
}
for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
let text = readText(source)
watch = start([arguments[2], "build", "--watch"], output: ends[1])
close(ends[1])
wait(for: "watching", from: messages)

let host = try Host(manifest: folder)
_ = try host.resolve((any Feature).self, name: "swap")
let following = try host.follow()
let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)

func readText(_ path: String) -> String {
    guard let file = fopen(path, "r") else { fail("\(path) is not there") }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
}

/// Saves the source in place, as editors do.
func save(_ number: String) {
    guard let file = fopen(source, "w"), let place = text.firstRange(of: "0000") else {
        fail("cannot write \(source)")
    }
    fputs(text.replacingCharacters(in: place, with: number), file)
    fclose(file)
}

extension String {
    fileprivate func replacingCharacters(in range: Range<Index>, with other: String) -> String {
        self[..<range.lowerBound] + other + self[range.upperBound...]
    }
}

var compiler: [Double] = []
var ours: [Double] = []
for round in 0..<(rounds + warmUp) {
    let number = String(1000 + round)
    var start = ContinuousClock.now
    save(number)
    // Looks often enough, and leaves the processors to the compiler.
    while let feature = try? host.resolve((any Feature).self, name: "swap"), "\(feature)" != number
    {
        if milliseconds(since: start) > limit * 1000 { fail("the new code does not answer") }
        usleep(200)
    }
    let time = milliseconds(since: start)
    // The next edit comes when the record is written, too.
    wait(for: "built swap", from: messages)
    start = ContinuousClock.now
    var status: Int32 = 0
    let child = EditBenchmark.start(
        Array(arguments[3...]) + ["-o", "\(folder)/alone.so", source], output: nowhere)
    waitpid(child, &status, 0)
    guard status == 0 else { fail("swiftc ended with status \(status)") }
    if round >= warmUp {
        ours.append(time)
        compiler.append(milliseconds(since: start))
    }
}
let ratio = median(zip(ours, compiler).map { $0 / $1 })
print("| case | swiftc -Onone alone, ms | eaves, ms | ratio | at most | |")
print("| --- | --: | --: | --: | --: | --- |")
print(
    "| source saved, until the new code answers, median of \(ours.count) "
        + "| \(rounded(median(compiler), 1)) | \(rounded(median(ours), 1)) "
        + "| \(rounded(ratio, 100)) × | 1.1 × | \(ratio <= 1.1 ? "met" : "missed") |")
kill(watch, SIGTERM)
withExtendedLifetime(following) {}
