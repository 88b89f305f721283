// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The libraries and the dynamic symbols of a shared object, as the dynamic linker would read them.
/// Reading them costs more than the catalog's checks, so it happens only where they are needed.
package struct BinaryReport: Hashable, Sendable {
    package let machine: ELFMachine
    /// The name by which other objects need this one (`DT_SONAME`).
    package let soname: String?
    package let libraries: LinkedLibraries
    /// Whether its symbols have versions, so that users of them find no other library's.
    package let hasVersions: Bool
    /// Whether loading the object makes the stacks of the process executable.
    package let wantsExecutableStack: Bool
    /// How much static memory of each thread its variables take, which code reaches without a call (`initial-exec`). In bytes.
    package let staticMemory: Int
    /// The dynamic symbols, in the order of the file.
    package let symbols: [ELFSymbol]

    /// Reads an open file.
    package init(_ elf: borrowing ELFFile) throws(ELFError) {
        let dynamic = try elf.dynamicSection()
        machine = elf.header.machine
        soname = dynamic.soname
        libraries = dynamic.libraries
        hasVersions = dynamic.value(of: .verdef) != nil
        wantsExecutableStack = elf.wantsExecutableStack
        staticMemory = try elf.staticMemory(dynamic)
        symbols = try elf.symbols(of: dynamic)
    }

    package init(of path: String) throws(ELFError) {
        try self.init(ELFFile(path))
    }

    /// The names of the libraries that the object is linked to, in order.
    package var needed: [String] { libraries.needed }

    /// Whether the object exports a function of this name. Data of this name does not count.
    package func defines(function name: String) -> Bool {
        symbols.contains { $0.name == name && $0.isDefined && $0.kind == .function }
    }

    package func definedNames(startingWith prefix: String = "") -> [String] {
        symbols.filter { $0.isDefined && $0.name.hasPrefix(prefix) }.map(\.name)
    }

    /// The names of the symbols that start with `prefix` and that other objects have to define.
    package func undefinedNames(startingWith prefix: String = "") -> [String] {
        symbols.filter { !$0.isDefined && $0.name.hasPrefix(prefix) }.map(\.name)
    }
}

// The places into which the dynamic linker writes addresses, once a file is mapped.
extension ELFFile {
    static let relocationSize = 24
    /// More entries than any module has: the reader never allocates memory because of a size that the file only claims.
    static let maximumRelocations = 1 << 21

    func relocations(_ dynamic: ELFDynamicSection) throws(ELFError) -> ArraySlice<UInt8> {
        guard let address = dynamic.value(of: .rela), let size = dynamic.value(of: .relaSize)
        else { return [] }
        return try bytes(
            atAddress: address, count: size,
            limit: UInt64(Self.maximumRelocations * Self.relocationSize), of: .relocations)
    }

    fileprivate func staticMemory(_ dynamic: ELFDynamicSection) throws(ELFError) -> Int {
        let isStatic: UInt64 = 0x10
        guard (dynamic.value(of: .flags) ?? 0) & isStatic != 0,
            let own = segments.first(where: { $0.kind == .threadLocal }),
            let symbols = dynamic.value(of: .symtab)
        else { return 0 }
        // `R_X86_64_TPOFF64` and `R_AARCH64_TLS_TPREL64`.
        let kind: UInt32 = header.machine == .aarch64 ? 1030 : 18
        let (bytes, size) = (try relocations(dynamic), Self.relocationSize)
        for start in stride(from: bytes.startIndex, through: bytes.endIndex - size, by: size) {
            let entry = ELFBytes(bytes[start..<start + size])
            guard entry.integer(at: 8, as: UInt32.self) == kind else { continue }
            let symbol = UInt64(entry.integer(at: 12, as: UInt32.self))
            if symbol == 0 { return Int(clamping: own.memorySize) }
            let fields = try fields(
                atAddress: symbols &+ symbol * UInt64(ELFSymbol.size),
                count: UInt64(ELFSymbol.size), of: .symbols)
            // A variable of another file is in that file's memory.
            if fields.integer(at: 6, as: UInt16.self) != 0 { return Int(clamping: own.memorySize) }
        }
        return 0
    }
}
