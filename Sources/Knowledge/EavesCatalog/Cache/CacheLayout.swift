// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesSystem

// The layout of the catalog's cache. This file alone says where something stands in it.
//
// A cache is a header, twelve tables, and the texts that the tables point into. A table is an array of
// rows of one kind; a row points to other rows by their numbers, and to a text by its place among the
// texts. Only the program that wrote a cache reads it (`CacheHeader.program`), so a row is a Swift value
// that is copied as it lies in memory. No row has padding: its members are ordered so that none is needed,
// because padding would make equal caches differ.

/// The first bytes of a cache: which program it is for, and where its tables stand.
struct CacheHeader: BitwiseCopyable {
    /// Reads as `eavesCat` and is followed by the tables' version. Raise it with every change here.
    static let magic: UInt64 = 0x7461_4373_6576_6165 &+ 10

    var magic = CacheHeader.magic
    /// The size of the whole file in bytes.
    var size: UInt64 = 0
    /// The `Checksum` of everything after this member.
    var checksum: UInt64 = 0
    /// The program that read the modules. Another program may read them differently.
    var program: FileIdentity
    /// Sorted by hash, then by file.
    var keys = CacheTable<CacheKeyRow>()
    /// The files that the manifest lists, then those of each directory.
    var files = CacheTable<CacheFileRow>()
    var modules = CacheTable<CacheModuleRow>()
    var provisions = CacheTable<CacheProvisionRow>()
    var requirements = CacheTable<CachedService>()
    var features = CacheTable<CacheFeatureRow>()
    /// The interfaces that modules are compiled against.
    var interfaces = CacheTable<CacheInterfaceRow>()
    /// The protocols of interface modules.
    var protocols = CacheTable<CachedText>()
    /// The protocols that modules declare or implement, with their requirements.
    var digests = CacheTable<ProtocolDigest>()
    var builds = CacheTable<CacheBuildRow>()
    /// The first one stands for the files that the manifest lists by their paths.
    var directories = CacheTable<CacheDirectoryRow>()
    var subfolders = CacheTable<CacheSubfolderRow>()
    var texts = CacheTable<UInt8>()

    /// Where the checksummed part begins, in bytes.
    static let checksumEnd = 24
}

/// Where a table stands in the file.
struct CacheTable<Row: BitwiseCopyable>: BitwiseCopyable, Sendable {
    /// In bytes from the beginning of the file.
    var start: UInt32 = 0
    /// The number of rows.
    var count: UInt32 = 0

    /// Where the table ends, in bytes from the beginning of the file.
    var end: Int { Int(start) + Int(count) * MemoryLayout<Row>.stride }
}

/// Rows of a table that stand one after the other.
struct CacheRows: BitwiseCopyable, Sendable {
    var start: UInt32 = 0
    var count: UInt32 = 0

    init() {}

    init(_ range: Range<Int>) {
        start = UInt32(range.lowerBound)
        count = UInt32(range.count)
    }

    var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
}

/// The place of a text among the texts of a cache.
package struct CachedText: BitwiseCopyable, Sendable {
    var start: UInt32
    /// In bytes.
    var count: UInt32

    /// Stands for a text that is not there.
    static let none = CachedText(start: .max, count: 0)
    var isNone: Bool { start == .max }
}

extension CachedText {
    /// The place from the beginning of one text to the end of another one behind it.
    init(spanning first: CachedText, _ last: CachedText) {
        start = first.start
        count = last.start &+ last.count &- first.start
    }
}

/// The name of a service. A qualified name is kept as one text, so that lists can print the word alone.
struct CachedService: BitwiseCopyable {
    /// What qualifies the word, with the dot behind it; or none.
    var qualifier: CachedText
    var word: CachedText
}

/// Leads from what modules are looked up by to a file.
struct CacheKeyRow: BitwiseCopyable {
    /// The hash of a ``CacheKey``.
    var hash: UInt32
    /// The number of the file.
    var file: UInt32
}

/// One `.so` file as it was when it was read.
struct CacheFileRow: BitwiseCopyable {
    /// `FileIdentity.none` if the content is not kept.
    var identity = FileIdentity.none
    var mode: UInt32 = 0
    var owner: UInt32 = 0
    var group: UInt32 = 0
    /// In its directory, followed by a zero byte so that C can read it where it stands.
    var name: CachedText
    /// The number of the kind that the directory's listing gave.
    var kind: UInt32
    /// The number of the module in the file; ``noModule`` if it is not known what the file says: it is
    /// no module, or it changed so recently that it could change again unseen.
    var module = CacheFileRow.noModule
    /// 1 if nothing but the file, its interfaces and who owns these decide what becomes of the module; see
    /// ``SelfContainedRule``.
    var isSelfContained: UInt32 = 0

    static let noModule = UInt32.max
}

/// The declaration of a module, and what it was built from.
struct CacheModuleRow: BitwiseCopyable {
    var id: CachedText
    var version: CachedText
    var summary: CachedText
    /// The name of the layer.
    var layer: CachedText
    var provides: CacheRows
    var requires: CacheRows
    var features: CacheRows
    /// Modules that name the same interfaces share the rows.
    var interfaces: CacheRows
    /// The protocols of an interface module.
    var protocols: CacheRows
    /// The protocols of an interface module, with their requirements.
    var declared: CacheRows
    /// The protocols that the module implements. Modules that implement the same ones share the rows.
    var implemented: CacheRows
    /// The Swift modules of an interface module, as `CachedModules` writes them, or none.
    var swiftModule: CachedText
    /// The owner of an interface module, or none.
    var owner: CachedText
    /// The digest of the inputs, or none.
    var inputs: CachedText
    /// The libraries that the file is linked to, as `LinkedLibraries.text` has them, or none. Modules that are linked
    /// alike share the text.
    var libraries: CachedText
    /// The number of the build.
    var build: UInt32
}

/// A service that a module provides.
struct CacheProvisionRow: BitwiseCopyable {
    var service: CachedService
    /// Or none.
    var name: CachedText
}

/// An interface that a module is compiled against.
struct CacheInterfaceRow: BitwiseCopyable {
    var id: CachedText
    /// The Swift modules, as `CachedModules` writes them, or none if it is not known what was compiled against.
    var module: CachedText
    var major: Int64
    var minor: Int64
}

/// The Swift modules of an interface as one text: its own first, with spaces between.
enum CachedModules {
    static func text(_ modules: [String]?) -> String? { modules?.joined(separator: " ") }

    static func names(_ text: String) -> (own: String, others: [String]) {
        let names = text.split(separator: " ").map(String.init)
        return (names.first ?? "", Array(names.dropFirst()))
    }
}

/// A feature that a module offers.
struct CacheFeatureRow: BitwiseCopyable {
    var name: CachedText
    var summary: CachedText
}

/// A build tag without the digest of the inputs. Most modules of a folder are built alike and share one
/// row.
struct CacheBuildRow: BitwiseCopyable, Hashable {
    var abi: Int64
    /// -1 for both numbers if the module uses the C ABI alone.
    var interfaceMajor: Int64
    var interfaceMinor: Int64
    /// Or none.
    var compiler: CachedText
    /// Or none.
    var target: CachedText
    /// The `e_machine` of its ELF header.
    var machine: UInt64
}

/// One directory of the manifest with its listing.
struct CacheDirectoryRow: BitwiseCopyable {
    var identity: FileIdentity
    /// An absolute path; empty for the files that the manifest lists.
    var path: CachedText
    /// Its `.so` files, sorted by the bytes of their names.
    var files: CacheRows
    /// The folders that may hold a module's sources, sorted by the bytes of their names.
    var subfolders: CacheRows
    /// 0 if the directory changed so recently that it has to be listed again.
    var isSettled: UInt32
    /// 1 if the cache knows what every one of the files says.
    var isComplete: UInt32
}

/// A folder in one of the directories, which may hold the sources of a module.
struct CacheSubfolderRow: BitwiseCopyable {
    /// The `module.json` in the folder as it was when it was read. `FileIdentity.none` if there is none, or it changed
    /// so recently that it could change again unseen.
    var identity: FileIdentity
    /// The path of the `module.json` in the directory, followed by a zero byte.
    var declaration: CachedText
    /// As in ``CacheFileRow/kind``.
    var kind: UInt32
    /// The number of the file that the sources are built to. ``noFile`` if the cache does not know what that says, or
    /// what the sources declare has to be known besides.
    var file: UInt32

    init(identity: FileIdentity, declaration: CachedText, kind: UInt32, file: UInt32?) {
        self.identity = identity
        self.declaration = declaration
        self.kind = kind
        self.file = file ?? Self.noFile
    }

    static let noFile = UInt32.max

    /// The end of the path of a `module.json`, after the folder's name.
    static let rest = "/" + ModuleDeclaration.fileName

    var name: CachedText {
        CachedText(
            start: declaration.start,
            count: declaration.count &- UInt32(CacheSubfolderRow.rest.utf8.count))
    }
}

extension CachedText: Hashable {}
