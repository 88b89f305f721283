// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The names that the dynamic section and the symbols point into.
struct ELFStrings: Hashable, Sendable {
    /// More than any module has; memory is never taken on the word of a file. In bytes.
    private static let maximumSize: UInt64 = 64 << 20
    /// The same bytes can be pointed at from everywhere, so one name has a limit too. In bytes.
    private static let maximumLength = 16 << 10

    private let bytes: ArraySlice<UInt8>

    init(at address: UInt64?, size: UInt64?, in elf: borrowing ELFFile) throws(ELFError) {
        guard let address, let size else { throw .malformed(.dynamicSection) }
        bytes = try elf.bytes(
            atAddress: address, count: size, limit: Self.maximumSize, of: .dynamicSection)
    }

    /// The text from `offset` up to the next zero byte.
    func text(at offset: UInt64) throws(ELFError) -> String {
        guard offset < UInt64(bytes.count) else { throw .malformed(.dynamicSection) }
        let rest = bytes.dropFirst(Int(offset)).prefix(Self.maximumLength)
        guard let end = rest.firstIndex(of: 0) else { throw .malformed(.dynamicSection) }
        return String(decoding: rest[..<end], as: UTF8.self)
    }
}
