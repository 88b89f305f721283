// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What modules are looked up by. Kept as a hash of 32 bits that is the same in every process:
/// whoever finds two modules under one looks at both.
struct CacheKey: Hashable, Sendable {
    let hash: UInt32

    static func id(_ id: String) -> CacheKey { CacheKey("i", id) }
    /// By the name in its directory.
    static func file(_ name: String) -> CacheKey { CacheKey("n", name) }
    static func feature(_ name: String) -> CacheKey { CacheKey("f", name) }
    static func service(_ name: String) -> CacheKey { CacheKey("s", name) }

    /// FNV-1a, folded.
    private init(_ kind: Unicode.Scalar, _ text: String) {
        let prime: UInt64 = 0x100_0000_01b3
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        hash = (hash ^ UInt64(kind.value)) &* prime
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* prime }
        self.hash = UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
    }

    /// All that a module can be looked up by.
    static func all(of declaration: ModuleDeclaration) -> [CacheKey] {
        [.id(declaration.id)] + declaration.features.map { .feature($0.name) }
            + declaration.provides.map { .service($0.service) }
    }
}
