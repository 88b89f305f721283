// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// What modules are looked up by. Kept as a hash of 32 bits that is the same in every process:
/// whoever finds two modules under one looks at both.
struct CacheKey: Hashable, Sendable {
    let hash: UInt32

    static func id(_ id: String) -> CacheKey { CacheKey("i", id) }
    /// By the name in its directory.
    static func file(_ name: String) -> CacheKey { CacheKey("n", name) }
    static func feature(_ name: String) -> CacheKey { CacheKey("f", name) }
    static func service(_ name: String) -> CacheKey { CacheKey("s", name) }

    private init(_ kind: Unicode.Scalar, _ text: String) {
        var whole = FNV1a()
        whole.add(UInt8(ascii: kind))
        whole.add(text)
        hash = UInt32(truncatingIfNeeded: whole.hash ^ (whole.hash >> 32))
    }

    /// All that a module can be looked up by.
    static func all(of declaration: ModuleDeclaration) -> [CacheKey] {
        [.id(declaration.id)] + declaration.features.map { .feature($0.name) }
            + declaration.provides.map { .service($0.service) }
    }
}
