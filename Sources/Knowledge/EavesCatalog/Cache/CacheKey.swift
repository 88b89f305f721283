// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesSystem

/// A key by which modules are looked up in the cache: a hash that is the same in every process.
struct CacheKey: Hashable, Sendable {
    /// Two keys may have the same hash, so a look-up compares the modules that it finds.
    let hash: UInt32

    static func id(_ id: String) -> CacheKey { CacheKey("i", id) }
    /// By the file's name in its directory.
    static func file(_ name: String) -> CacheKey { CacheKey("n", name) }
    static func feature(_ name: String) -> CacheKey { CacheKey("f", name) }
    /// A name that is qualified has the key of the one that is not.
    static func service(_ name: String) -> CacheKey { CacheKey("s", ServiceName.word(name)) }

    /// By the Swift module of an interface module.
    static func swiftModule(_ name: String) -> CacheKey { CacheKey("m", name) }

    /// Everything that a module can be looked up by, except its file's name.
    static func all(of declaration: ModuleDeclaration) -> [CacheKey] {
        [.id(declaration.id)] + declaration.features.map { .feature($0.name) }
            + declaration.provides.map { .service($0.service) }
            + (declaration.interface?.modules.map { .swiftModule($0) } ?? [])
    }

    private init(_ kind: Unicode.Scalar, _ text: String) {
        var whole = FNV1a()
        whole.add(UInt8(ascii: kind))
        whole.add(text)
        hash = UInt32(truncatingIfNeeded: whole.hash ^ (whole.hash >> 32))
    }
}
