// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Lets the process of an isolated module end badly again and again, under calls, in a host that never pauses, and says what
// that leaves in the host.
//
//     CrashBenchmark FOLDER COUNT
//
// The folder has the modules of Tests/Fixtures/Isolated.

import EavesHost
import EavesIsolation
import Glibc

/// The resources that a host holds.
struct Use {
    let descriptors = entries(of: "/proc/self/fd")
    let threads = entries(of: "/proc/self/task")
    let children = children()
    /// In KB.
    let memory = Int(words(of: "/proc/self/statm").dropFirst().first ?? "").map { $0 * 4 } ?? 0

    private static func entries(of path: String) -> Int {
        guard let folder = opendir(path) else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }

    private static func children() -> Int {
        guard let folder = opendir("/proc/self/task") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            count += words(of: "/proc/self/task/\(name)/children").count
        }
        return count
    }

    private static func words(of path: String) -> [Substring] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&piece, 1, piece.count, file)
        return String(decoding: piece[..<count], as: UTF8.self).split(
            whereSeparator: \.isWhitespace)
    }
}

try Host.begin(as: [.worker])
let (folder, count) = (CommandLine.arguments[1], CommandLine.arguments[2])
var configuration = Host.Configuration()
configuration.isolation = .processes
configuration.policy.restartPauses = .zero ... .zero
let host = try Host(manifest: folder, configuration)
// The first ones fill caches and tables.
_ = try await host.launch("boss", ["crashes-within-limits:70"])
let before = Use()
_ = try await host.launch("boss", ["crashes-within-limits:\(count)"])
// The last process may still be starting its threads.
try await Task.sleep(for: .seconds(1))
let after = Use()
print("microseconds from a kill to the next answer, minimum and median:")
fflush(nil)
_ = try await host.launch("boss", ["measure-kills:100"])
print("")
print("| after \(count) ends | before | after |")
print("| --- | --: | --: |")
print("| descriptors | \(before.descriptors) | \(after.descriptors) |")
print("| threads | \(before.threads) | \(after.threads) |")
print("| processes | \(before.children) | \(after.children) |")
print("| resident memory, KB | \(before.memory) | \(after.memory) |")
