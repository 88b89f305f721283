// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The record in a file that a type conforms to a protocol of another file, which is compiled with library evolution.
///
/// Such a record names each requirement that the module has an implementation of, its own or a default one. When
/// the module runs, Swift fills the others with the defaults that the protocol has then, or with nothing.
package struct SwiftConformance: Hashable, Sendable {
    /// The symbol of the protocol's descriptor.
    package let protocolSymbol: String
    /// The symbols of the requirements' descriptors. Mangled; sorted.
    package let requirements: [String]
}

extension ELFFile {
    /// Reads the conformances to protocols of other files.
    ///
    /// - Parameter prefixes: The beginnings of the symbols of the protocols that matter, such as `$s10WeatherAPI`.
    /// - Returns: Those to these protocols, and those of other files' types to any protocol. Empty for a file that is not of
    ///   Swift, or whose table of sections was removed.
    package func swiftConformances(
        of dynamic: ELFDynamicSection, toProtocolsWith prefixes: [String]
    ) throws(ELFError) -> (toProtocols: [SwiftConformance], retroactive: [ProcessWideDefinition]) {
        let records = try swiftRecords(in: "swift5_protocol_conformances")
        guard !records.isEmpty else { return ([], []) }
        var reader = ConformanceReader(references: try ELFReferences(self, dynamic))
        for record in records { try reader.read(at: record, in: self, prefixes) }
        return (reader.toProtocols, reader.retroactive)
    }

    /// The addresses of the records that a section lists, each by its distance.
    private func swiftRecords(in name: String) throws(ELFError) -> [UInt64] {
        guard let section = try source.section(named: name, header) else { return [] }
        let list = ELFBytes(
            try source.bytes(
                at: section.offset, count: section.fileSize, limit: 1 << 20, of: .conformances))
        return stride(from: 0, through: list.count - 4, by: 4).map {
            Self.address(section.address &+ UInt64($0), plus: list.integer(at: $0))
        }
    }

    /// The Swift modules whose types the file defines: their names as the runtime knows them, and the places of the names in
    /// the file.
    package func swiftModules() throws(ELFError) -> [String: Int] {
        var modules: [String: Int] = [:]
        var seen: Set<UInt64> = []
        // The two lowest bits say how the distance leads to the descriptor: 0 for one of this file.
        for type in try swiftRecords(in: "swift5_type_metadata") where type & 3 == 0 {
            var context = type
            while seen.insert(context).inserted {
                let fields = try fields(atAddress: context, count: 8, of: .conformances)
                let isModule = fields.integer(at: 0, as: UInt32.self) & 0x1f == 0
                if isModule {
                    let (name, address) = try contextName(at: context)
                    modules[name] = place(of: address, for: 1).flatMap { Int(exactly: $0.offset) }
                }
                let parent: Int32 = fields.integer(at: 4)
                guard parent != 0, parent & 1 == 0 else { break }
                context = Self.address(context &+ 4, plus: parent)
            }
        }
        // Types of C count as the same in all files.
        return modules.filter { !$0.key.hasPrefix("__C") }
    }

    /// Reads the name of a module or of a type, and where it is in memory, from its descriptor.
    fileprivate func contextName(
        at address: UInt64
    ) throws(ELFError) -> (name: String, address: UInt64) {
        let distance = try fields(atAddress: address &+ 8, count: 4, of: .conformances)
        let start = Self.address(address &+ 8, plus: distance.integer(at: 0))
        let name = try bytes(atAddress: start, upTo: 1 << 10, of: .conformances)
        return (String(decoding: name.prefix { $0 != 0 }, as: UTF8.self), start)
    }

    /// The address that a distance leads to.
    static func address(_ base: UInt64, plus distance: Int32) -> UInt64 {
        base &+ UInt64(bitPattern: Int64(distance))
    }
}

/// Reads records of conformances as the Swift ABI describes them (`TargetProtocolConformanceDescriptor`).
private struct ConformanceReader {
    var references: ELFReferences
    var toProtocols: [SwiftConformance] = []
    var retroactive: [ProcessWideDefinition] = []
    /// How many more requirements may be read: records may overlap in a file that is made for it.
    var room = 1 << 18

    /// The record's fixed part: ways to the protocol, to the type and to the table of functions, and flags.
    private static let size: UInt64 = 16
    private static let isRetroactive: UInt32 = 1 << 6
    /// The compiler made it for a type of C, in the same way in each file.
    private static let isSynthesized: UInt32 = 1 << 7
    private static let hasResilientWitnesses: UInt32 = 1 << 16
    /// The size of the description of a condition, such as `where Element: Equatable`.
    private static let conditionSize: UInt64 = 12
    /// Set in a distance that leads to the place of an address, and not to the thing itself.
    private static let isIndirect: Int32 = 1

    mutating func read(
        at address: UInt64, in file: borrowing ELFFile, _ prefixes: [String]
    ) throws(ELFError) {
        let fields = try file.fields(atAddress: address, count: Self.size, of: .conformances)
        let flags: UInt32 = fields.integer(at: 12)
        guard let symbol = try symbol(at: address, fields.integer(at: 0)) else { return }
        if flags & Self.isRetroactive != 0, flags & Self.isSynthesized == 0,
            let type = try foreignType(
                ELFFile.address(address &+ 4, plus: fields.integer(at: 4)), flags, in: file)
        {
            retroactive.append(.conformance(of: type, to: symbol))
        }
        // Conditions about packs of types have further parts, which no interface needs so far.
        guard flags & Self.hasResilientWitnesses != 0, flags >> 24 == 0,
            prefixes.contains(where: symbol.hasPrefix)
        else { return }
        let conditions = UInt64(flags >> 8 & 0xff)
        let start =
            address &+ Self.size &+ (flags & Self.isRetroactive == 0 ? 0 : 4)
            &+ conditions &* Self.conditionSize
        toProtocols.append(
            SwiftConformance(
                protocolSymbol: symbol, requirements: try requirements(at: start, in: file)))
    }

    /// The symbol of the type that a record is about, or `__C.tm` for a type of C, of which each file has a descriptor that
    /// counts as the same; `nil` for a type of the file itself.
    private mutating func foreignType(
        _ place: UInt64, _ flags: UInt32, in file: borrowing ELFFile
    ) throws(ELFError) -> String? {
        let kind = flags >> 3 & 7
        if kind == 1 { return try references.name(at: place) }
        let parent = try file.fields(atAddress: place &+ 4, count: 4, of: .conformances)
            .integer(at: 0, as: Int32.self)
        guard kind == 0, parent & Self.isIndirect == 0,
            try file.contextName(at: ELFFile.address(place &+ 4, plus: parent)).name == "__C"
        else { return nil }
        return "__C.\(try file.contextName(at: place).name)"
    }

    /// Reads a number and as many pairs of ways: one to the requirement, one to its implementation.
    private mutating func requirements(
        at address: UInt64, in file: borrowing ELFFile
    ) throws(ELFError) -> [String] {
        let head = try file.fields(atAddress: address, count: 4, of: .conformances)
        let count = Int(head.integer(at: 0, as: UInt32.self))
        guard count <= room else { throw .malformed(.conformances) }
        room -= count
        let pairs = try file.fields(
            atAddress: address &+ 4, count: UInt64(8 * count), of: .conformances)
        var names: [String] = []
        for start in stride(from: 0, to: 8 * count, by: 8) {
            let place = address &+ 4 &+ UInt64(start)
            if let name = try symbol(at: place, pairs.integer(at: start)) { names.append(name) }
        }
        return names.sorted()
    }

    /// The symbol of another file that a way leads to; `nil` for a thing in the same file.
    private mutating func symbol(
        at address: UInt64, _ distance: Int32
    ) throws(ELFError) -> String? {
        guard distance & Self.isIndirect != 0 else { return nil }
        return try references.name(
            at: ELFFile.address(address, plus: distance & ~Self.isIndirect))
    }
}

/// The places in memory into which the dynamic linker writes the addresses of symbols, by their addresses.
///
/// The names are read when they are asked for: of thousands of places, few matter.
struct ELFReferences {
    private var symbols: [UInt64: Int] = [:]
    private var table: ArraySlice<UInt8> = []
    private let strings: ELFStrings
    private var names: [Int: String] = [:]

    /// - Throws: ``ELFError`` if a table does not lie in the file.
    init(_ file: borrowing ELFFile, _ dynamic: ELFDynamicSection) throws(ELFError) {
        strings = dynamic.strings
        guard let symbolTable = dynamic.value(of: .symtab) else { return }
        let bytes = try file.relocations(dynamic)
        let size = ELFFile.relocationSize
        var last = 0
        for start in stride(from: bytes.startIndex, through: bytes.endIndex - size, by: size) {
            let fields = ELFBytes(bytes[start..<start + size])
            let symbol = Int(fields.integer(at: 12, as: UInt32.self))
            guard symbol > 0 else { continue }
            guard symbol < ELFFile.maximumRelocations else { throw .malformed(.relocations) }
            symbols[fields.integer(at: 0)] = symbol
            last = max(last, symbol)
        }
        guard last > 0 else { return }
        let length = UInt64((last + 1) * ELFSymbol.size)
        table = try file.bytes(atAddress: symbolTable, count: length, of: .symbols)
    }

    /// The name of the other file's symbol whose address the dynamic linker writes to a place; `nil` if it writes none.
    mutating func name(at address: UInt64) throws(ELFError) -> String? {
        guard let symbol = symbols[address] else { return nil }
        if let known = names[symbol] { return known }
        let fields = ELFBytes(table.dropFirst(symbol * ELFSymbol.size))
        guard fields.integer(at: 6, as: UInt16.self) == 0 else { return nil }
        let name = try strings.text(at: UInt64(fields.integer(at: 0, as: UInt32.self)))
        names[symbol] = name
        return name
    }
}

/// A protocol that a file declares, compiled with library evolution, as other files depend on it.
package struct SwiftProtocol: Hashable, Sendable {
    package struct Requirement: Hashable, Sendable {
        /// The symbol of its descriptor. Mangled.
        package let symbol: String
        /// Whether Swift has an implementation for types whose module has none.
        package let hasDefault: Bool
    }

    /// The symbol of the protocol's descriptor.
    package let symbol: String
    /// In the order of the file.
    package let requirements: [Requirement]

    /// The requirements that a conformance has no implementation of and that have no default either: a call of one
    /// of them would lead nowhere. Mangled.
    package func requirements(lackingIn conformance: SwiftConformance) -> [String] {
        let known = Set(conformance.requirements)
        return requirements.filter { !$0.hasDefault && !known.contains($0.symbol) }.map(\.symbol)
    }

    /// The requirements that a conformance has an implementation of and that the protocol does not have any more: the
    /// dynamic linker does not find them. Mangled.
    package func requirements(goneFor conformance: SwiftConformance) -> [String] {
        let present = Set(requirements.map(\.symbol))
        return conformance.requirements.filter { !present.contains($0) }
    }
}

extension ELFFile {
    /// The size of the fixed part of a protocol's descriptor in the Swift ABI (`TargetProtocolDescriptor`).
    private static let descriptorSize: UInt64 = 24
    /// The size of a generic requirement, which the requirements stand behind.
    private static let genericSize: UInt64 = 12
    /// The size of a requirement: flags, and a way to the default implementation.
    private static let requirementSize: UInt64 = 8
    /// More requirements than any protocol has.
    private static let maximumRequirements: UInt64 = 1 << 16
    /// How the names of the descriptors of requirements end: those of functions and accessors, of associated types
    /// and their conformances, and of the protocols that a protocol inherits.
    private static let requirementSuffixes = ["Tq", "Tl", "Tn", "Tb"]

    /// Reads the protocols that the file declares.
    ///
    /// - Parameter prefix: The beginning of their symbols, such as `$s10WeatherAPI`.
    package func swiftProtocols(
        of dynamic: ELFDynamicSection, startingWith prefixes: [String]
    ) throws(ELFError) -> [SwiftProtocol] {
        let symbols = try symbols(of: dynamic).filter(\.isDefined)
        var names: [UInt64: String] = [:]
        for symbol in symbols where Self.requirementSuffixes.contains(where: symbol.name.hasSuffix)
        {
            names[symbol.address] = symbol.name
        }
        var found: [SwiftProtocol] = []
        for symbol in symbols
        where symbol.name.hasSuffix("Mp") && prefixes.contains(where: symbol.name.hasPrefix) {
            found.append(try swiftProtocol(symbol, names))
        }
        return found
    }

    private func swiftProtocol(
        _ symbol: ELFSymbol, _ names: [UInt64: String]
    ) throws(ELFError) -> SwiftProtocol {
        let fields = try fields(
            atAddress: symbol.address, count: Self.descriptorSize, of: .protocols)
        let generic = UInt64(fields.integer(at: 12, as: UInt32.self))
        let count = UInt64(fields.integer(at: 16, as: UInt32.self))
        guard count <= Self.maximumRequirements else { throw .malformed(.protocols) }
        let start = symbol.address &+ Self.descriptorSize &+ generic &* Self.genericSize
        let requirements = try self.fields(
            atAddress: start, count: count * Self.requirementSize, of: .protocols)
        return SwiftProtocol(
            symbol: symbol.name,
            requirements: (0..<count).compactMap { index in
                let offset = index * Self.requirementSize
                return names[start &+ offset].map {
                    SwiftProtocol.Requirement(
                        symbol: $0,
                        hasDefault: requirements.integer(at: Int(offset) + 4, as: Int32.self) != 0)
                }
            })
    }
}
