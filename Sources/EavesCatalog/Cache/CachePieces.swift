// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Synchronization

/// The file of a cache, of which a block is read when something in it is first asked for.
///
/// Safe from any thread.
final class CachePieces: Sendable {
    private struct State {
        /// What was read.
        var blocks: [[UInt8]?]
        var isDamaged = false
    }

    private let file: OpenFile
    private let seal: CacheSeal
    private let state: Mutex<State>

    /// `nil` for what is no cache, or one of another version.
    init?(_ file: consuming OpenFile, size: Int) {
        guard
            let seal = CacheSeal(
                size: size, { try? file.bytes(at: $0.lowerBound, count: $0.count) })
        else { return nil }
        self.file = file
        self.seal = seal
        state = Mutex(State(blocks: Array(repeating: nil, count: seal.blockCount)))
    }

    /// Where the content ends.
    var end: Int { seal.end }

    /// Whether something that was asked for was not as it was written.
    var isDamaged: Bool { state.withLock { $0.isDamaged } }

    /// The bytes from `offset` on; `nil` if they are not all there, or damaged.
    func bytes(at offset: Int, _ count: Int) -> [UInt8]? {
        guard offset >= CacheSeal.start, count >= 0, offset <= seal.end - count else { return nil }
        return state.withLock { state in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(count)
            while bytes.count < count {
                let place = offset + bytes.count
                let index = (place - CacheSeal.start) / CacheSeal.blockSize
                guard let block = block(index, &state) else {
                    state.isDamaged = true
                    return nil
                }
                let start = place - seal.block(index).lowerBound
                bytes += block[start...].prefix(count - bytes.count)
            }
            return bytes
        }
    }

    private func block(_ index: Int, _ state: inout State) -> [UInt8]? {
        if let known = state.blocks[index] { return known }
        let place = seal.block(index)
        guard let block = try? file.bytes(at: place.lowerBound, count: place.count),
            seal.holds(index, block[...])
        else { return nil }
        state.blocks[index] = block
        return block
    }
}
