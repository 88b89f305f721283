// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesSystem

/// Writes values into bytes, or reads them back. The same steps do both, so that they cannot differ.
struct TableCoder {
    private(set) var bytes: [UInt8]
    private(set) var offset: Int
    private let isReading: Bool
    /// Whether all bytes that were read could be what a coder has written.
    private(set) var isWhole = true

    init() {
        bytes = []
        offset = 0
        isReading = false
    }

    init(reading bytes: [UInt8], at offset: Int) {
        self.bytes = bytes
        self.offset = offset
        isReading = true
        if !(0...bytes.count).contains(offset) { fail() }
    }

    /// Codes a number in as few bytes as it needs.
    mutating func code(_ number: inout UInt64) {
        guard isReading else {
            var rest = number
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            return bytes.append(UInt8(rest))
        }
        number = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) where offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return }
        }
        fail()
    }

    mutating func code<Number: FixedWidthInteger>(_ number: inout Number) {
        var bits = UInt64(bitPattern: Int64(number))
        code(&bits)
        number = Number(Int64(bitPattern: bits))
    }

    mutating func code(_ flag: inout Bool) {
        var number: UInt64 = flag ? 1 : 0
        code(&number)
        flag = number == 1
    }

    /// Codes a text, with its length before it.
    mutating func code(_ text: inout String) {
        var count = text.utf8.count
        code(&count)
        guard isReading else { return bytes += text.utf8 }
        guard count >= 0, count <= bytes.count - offset else { return fail() }
        text = bytes.withUnsafeBufferPointer { [offset] in
            String(
                decoding: UnsafeBufferPointer(rebasing: $0[offset..<offset + count]), as: UTF8.self)
        }
        offset += count
    }

    /// Codes the elements of a list.
    ///
    /// - Parameter empty: The element that `each` fills in.
    mutating func code<Element>(
        _ list: inout [Element], _ empty: Element,
        _ each: (inout TableCoder, inout Element) -> Void
    ) {
        var count = list.count
        code(&count)
        guard isReading else {
            for index in list.indices { each(&self, &list[index]) }
            return
        }
        // An element takes a byte at least.
        guard count >= 0, count <= bytes.count - offset else { return fail() }
        list = []
        list.reserveCapacity(count)
        while isWhole, list.count < count {
            var element = empty
            each(&self, &element)
            list.append(element)
        }
    }

    mutating func code(_ texts: inout [String]) { code(&texts, "") { $0.code(&$1) } }

    /// Codes a value that may be missing.
    ///
    /// - Parameter empty: The value that `body` fills in.
    mutating func code<Value>(
        _ value: inout Value?, _ empty: Value, _ body: (inout TableCoder, inout Value) -> Void
    ) {
        var isThere = value != nil
        code(&isThere)
        guard isThere else { return value = nil }
        var some = value ?? empty
        body(&self, &some)
        value = some
    }

    mutating func code(_ text: inout String?) { code(&text, "") { $0.code(&$1) } }

    mutating func code(_ identity: inout FileIdentity) {
        code(&identity.device)
        code(&identity.inode)
        code(&identity.size)
        code(&identity.modified)
        code(&identity.changed)
    }

    /// Notes that no coder has written the bytes, and reads no more of them.
    mutating func fail() {
        isWhole = false
        offset = bytes.count
    }
}

/// A module's file as the table keeps it.
struct TableRecord {
    /// The parts of a `ModuleContent` that do not stand in the row of the file.
    struct Kept {
        var machine = 0
        var note = ModuleNote(
            declaration: ModuleDeclaration(id: "", version: "", layer: .core),
            tag: BuildTag(abi: 0))
        var protocols = ModuleProtocols()
        var libraries: String?
    }

    /// The file's name in its directory.
    var name = ""
    var kept: Kept?
}

extension TableCoder {
    mutating func code(_ record: inout TableRecord) {
        code(&record.name)
        code(&record.kept, TableRecord.Kept()) {
            $0.code(&$1.machine)
            $0.code(&$1.note.declaration)
            $0.code(&$1.note.tag)
            $0.code(&$1.protocols.declared)
            $0.code(&$1.protocols.implemented)
            $0.code(&$1.libraries)
        }
    }

    mutating func code(_ directory: inout CatalogTable.Directory) {
        var (start, count) = (directory.files.lowerBound, directory.files.count)
        code(&directory.path)
        code(&directory.identity)
        code(&start)
        code(&count)
        guard (0..<Int(Int32.max)).contains(start), (0..<Int(Int32.max)).contains(count) else {
            return fail()
        }
        directory.files = start..<start + count
        code(&directory.isComplete)
        code(&directory.folders, FolderState(name: "")) {
            $0.code(&$1.name)
            $0.code(&$1.declaration)
            $0.code(&$1.file)
        }
    }

    private mutating func code(_ declaration: inout ModuleDeclaration) {
        code(&declaration.id)
        code(&declaration.version)
        code(&declaration.summary)
        var layer = declaration.layer.rawValue
        code(&layer)
        if let layer = Layer(rawValue: layer) { declaration.layer = layer } else { fail() }
        code(&declaration.provides, Provision(service: "")) {
            $0.code(&$1.service)
            $0.code(&$1.name)
        }
        code(&declaration.requires)
        code(&declaration.features, FeatureDeclaration(name: "")) {
            $0.code(&$1.name)
            $0.code(&$1.summary)
        }
        code(&declaration.interfaces, InterfaceNeed("")) {
            $0.code(&$1.id)
            $0.code(&$1.built, InterfaceStamp(module: "", version: noVersion)) {
                $0.code(&$1.module)
                $0.code(&$1.version)
                $0.code(&$1.otherModules)
            }
        }
        code(&declaration.owner)
        code(&declaration.interface, InterfaceContent(module: "", protocols: [])) {
            $0.code(&$1.module)
            $0.code(&$1.protocols)
            $0.code(&$1.otherModules)
        }
    }

    private mutating func code(_ tag: inout BuildTag) {
        code(&tag.abi)
        code(&tag.interface, noVersion) { $0.code(&$1) }
        code(&tag.compiler)
        code(&tag.target)
        code(&tag.inputs)
    }

    private mutating func code(_ version: inout InterfaceVersion) {
        code(&version.major)
        code(&version.minor)
    }

    private mutating func code(_ digests: inout [ProtocolDigest]) {
        code(&digests, ProtocolDigest(name: 0, requirements: 0)) { coder, digest in
            var bits = UInt64(digest.name) << 32 | UInt64(digest.requirements)
            coder.code(&bits)
            digest.name = UInt32(bits >> 32)
            digest.requirements = UInt32(truncatingIfNeeded: bits)
        }
    }
}

private let noVersion = InterfaceVersion(major: 0, minor: 0)
