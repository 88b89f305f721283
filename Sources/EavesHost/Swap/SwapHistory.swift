// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem

/// The swaps that can be taken back: the file `history.json` in the store, with the last swap at its end.
struct SwapHistory: Sendable {
    private let store: String
    private var path: String { Path.join(store, "history.json") }
    /// The history forgets older swaps.
    private static let limit = 100

    init(store: String) {
        self.store = store
    }

    func last() throws -> Swap? {
        try read().last
    }

    func append(_ swap: Swap) throws {
        try write(Array((try read() + [swap]).suffix(Self.limit)))
    }

    func removeLast() throws {
        try write(try read().dropLast())
    }

    private func read() throws -> [Swap] {
        guard let bytes = try bytes() else { return [] }
        guard let root = try? JSONNode.parse(bytes), root["schema"]?.integer == 1,
            let swaps = root["swaps"]?.elements?.map(Self.swap), !swaps.contains(nil)
        else { throw SwapError.damagedHistory(path) }
        return swaps.compactMap { $0 }
    }

    private static func swap(_ node: JSONNode) -> Swap? {
        guard let service = node["service"]?.string, let to = node["to"]?.string else { return nil }
        return Swap(service: service, from: node["from"]?.string, to: to)
    }

    /// - Returns: `nil` if there was no swap yet.
    private func bytes() throws(SystemError) -> [UInt8]? {
        do throws(SystemError) {
            return try Files.read(path)
        } catch {
            if error.errno == .noSuchFile { return nil }
            throw error
        }
    }

    private func write(_ swaps: [Swap]) throws {
        let list = swaps.map { swap -> JSON in
            [
                "service": .string(swap.service), "from": swap.from.map { .string($0) } ?? .null,
                "to": .string(swap.to),
            ]
        }
        let json: JSON = ["schema": 1, "swaps": .array(list)]
        try Files.createFolder(store, mode: 0o700)
        try Files.replace(path, with: Array((json.text(pretty: true) + "\n").utf8))
    }
}
