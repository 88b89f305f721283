// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
import Glibc

/// What each swap leaves in a host that never starts anew: retired code stays mapped.
struct MemoryOfSwaps {
    private struct Use {
        /// In bytes.
        let resident: Int
        let descriptors: Int
        let mappings: Int

        /// What this process uses now.
        init() {
            resident = Use.number(of: "VmRSS:", in: "/proc/self/status") << 10
            var found = 0
            if let folder = opendir("/proc/self/fd") {
                while readdir(folder) != nil { found += 1 }
                closedir(folder)
            }
            // Without `.`, `..` and the folder itself.
            descriptors = found - 3
            mappings = Use.lines(of: "/proc/self/maps").count
        }

        private static func number(of name: String, in path: String) -> Int {
            let line = lines(of: path).first { $0.hasPrefix(name) } ?? ""
            return Int(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? 0
        }

        private static func lines(of path: String) -> [Substring] {
            guard let file = fopen(path, "r") else { return [] }
            defer { fclose(file) }
            var text: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = fread(&piece, 1, piece.count, file), count > 0 {
                text += piece[..<count]
            }
            return String(decoding: text, as: UTF8.self).split(separator: "\n")
        }
    }

    let host: Host
    let count: Int
    let plugin: String

    /// The swaps before those that count: the first ones fill caches and tables.
    private let warmUp = 10

    /// Swaps through all generations, each of which is new to the host, and prints what that took.
    func report() {
        guard count > 2 * warmUp else { fatalError("at least \(2 * warmUp + 1) generations") }
        for generation in 1...warmUp { swap(to: generation) }
        let start = Use()
        for generation in (warmUp + 1)..<count { swap(to: generation) }
        let end = Use()
        let swaps = count - 1 - warmUp
        print("| after \(swaps) swaps without compaction | before | after | each swap |")
        print("| --- | --: | --: | --: |")
        row("resident memory, KB", start.resident >> 10, end.resident >> 10, swaps)
        row("mappings", start.mappings, end.mappings, swaps)
        row("descriptors", start.descriptors, end.descriptors, swaps)
    }

    private func swap(to generation: Int) {
        _ = time(generation, to: plugin) { "\(feature(of: host))" == $0 }
    }

    private func row(_ name: String, _ start: Int, _ end: Int, _ swaps: Int) {
        let each = (Double(end - start) / Double(swaps) * 100).rounded() / 100
        print("| \(name) | \(start) | \(end) | \(each) |")
    }
}
