// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// One file in a cache: a record of fixed length.
struct CachedFile {
    /// Where the record has the kind and, behind it, whether the module is plain: a byte each. The
    /// identity stands first, and then the permissions.
    static let kindPlace = 42
    /// Where it has the owner, in four bytes.
    static let ownerPlace = 44
    /// Where it has the place and the length of the name, four bytes each.
    static let namePlace = 52
    /// Where it has the place of the content, in four bytes; 0 if that is not known.
    static let contentPlace = 60

    private(set) var identity = FileIdentity.none
    private var mode: UInt32 = 0
    private var owner: UInt32 = 0
    private var group: UInt32 = 0
    /// Where the name begins; a zero byte ends it.
    let nameStart: Int
    let nameLength: Int
    /// Where what it says begins; `nil` if that is not known: it was no module, or has to be read
    /// again for its times.
    private(set) var contentStart: Int?
    /// As the directory's listing called it.
    let kind: FileStatus.Kind
    /// Whether no other module of the cache has a say in what becomes of this one, and its texts can
    /// be printed as they stand.
    private(set) var isPlain = false

    /// A file of which no more is known than its name.
    init(nameStart: Int, nameLength: Int, kind: FileStatus.Kind) {
        self.nameStart = nameStart
        self.nameLength = nameLength
        self.kind = kind
    }

    /// Notes what the file was like when it was read.
    mutating func note(_ status: FileStatus, contentStart: Int, isPlain: Bool) {
        identity = FileIdentity(status)
        (mode, owner, group) = (status.mode, status.owner, status.group)
        self.contentStart = contentStart
        self.isPlain = isPlain
    }

    /// As the file system told it when the file was read.
    var status: FileStatus {
        FileStatus(
            kind: .file, device: identity.device, inode: identity.inode, size: Int(identity.size),
            modified: identity.modified, changed: identity.changed, owner: owner, group: group,
            mode: mode)
    }
}

extension CachedFile {
    /// `nil` in what is no such record.
    init?(_ cursor: inout CacheCursor) {
        guard let identity = cursor.identity(), let mode = cursor.integer(as: UInt16.self),
            let kind = cursor.integer(as: UInt8.self).flatMap(FileStatus.Kind.init(code:)),
            let isPlain = cursor.integer(as: UInt8.self),
            let owner = cursor.integer(as: UInt32.self),
            let group = cursor.integer(as: UInt32.self),
            let nameStart = cursor.integer(as: UInt32.self),
            let nameLength = cursor.integer(as: UInt32.self),
            let contentStart = cursor.integer(as: UInt32.self)
        else { return nil }
        self.init(nameStart: Int(nameStart), nameLength: Int(nameLength), kind: kind)
        self.identity = identity
        (self.mode, self.owner, self.group) = (UInt32(mode), owner, group)
        self.contentStart = contentStart == 0 ? nil : Int(contentStart)
        self.isPlain = isPlain == 1
    }

    func write(to text: inout CacheText) {
        text.add(identity)
        text.add(UInt16(mode))
        text.add(kind.code)
        text.add(UInt8(isPlain ? 1 : 0))
        for number in [owner, group] { text.add(number) }
        for number in [nameStart, nameLength, contentStart ?? 0] { text.add(UInt32(number)) }
    }
}

extension FileStatus.Kind {
    private static let all: [FileStatus.Kind] = [
        .unknown, .file, .directory, .pipe, .socket, .device, .link,
    ]

    var code: UInt8 {
        switch self {
        case .unknown: 0
        case .file: 1
        case .directory: 2
        case .pipe: 3
        case .socket: 4
        case .device: 5
        case .link: 6
        }
    }

    init?(code: UInt8) {
        guard Int(code) < Self.all.count else { return nil }
        self = Self.all[Int(code)]
    }
}
