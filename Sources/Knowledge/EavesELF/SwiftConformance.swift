// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The record in a file that a type conforms to a protocol of another file, which is compiled with library
/// evolution.
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
    /// - Parameter isWanted: Whether a protocol matters, by the symbol of its descriptor.
    /// - Returns: Empty for a file that is not of Swift, or whose table of sections was removed.
    package func swiftConformances(
        of dynamic: ELFDynamicSection, where isWanted: (String) -> Bool
    ) throws(ELFError) -> [SwiftConformance] {
        guard let (address, list) = try swiftConformanceList() else { return [] }
        var reader = ConformanceReader(references: try ELFReferences(self, dynamic))
        var found: [SwiftConformance] = []
        for start in stride(from: 0, through: list.count - 4, by: 4) {
            let record = Self.address(address &+ UInt64(start), plus: list.integer(at: start))
            if let conformance = try reader.conformance(at: record, in: self, where: isWanted) {
                found.append(conformance)
            }
        }
        return found
    }

    /// The list of the file's conformances, each a distance to its record, and where the list is in memory.
    private func swiftConformanceList() throws(ELFError) -> (UInt64, ELFBytes)? {
        let name = "swift5_protocol_conformances"
        guard let section = try source.section(named: name, header) else { return nil }
        let bytes = try source.bytes(
            at: section.offset, count: section.fileSize, limit: 1 << 20, of: .conformances)
        return (section.address, ELFBytes(bytes))
    }

    /// The address that a distance leads to.
    static func address(_ base: UInt64, plus distance: Int32) -> UInt64 {
        base &+ UInt64(bitPattern: Int64(distance))
    }
}

/// Reads records of conformances as the Swift ABI describes them (`TargetProtocolConformanceDescriptor`).
private struct ConformanceReader {
    var references: ELFReferences
    /// How many more requirements may be read: records may overlap in a file that is made for it.
    private var room = 1 << 18

    init(references: ELFReferences) {
        self.references = references
    }

    /// The record's fixed part: ways to the protocol, to the type and to the table of functions, and flags.
    private static let size: UInt64 = 16
    private static let isRetroactive: UInt32 = 1 << 6
    private static let hasResilientWitnesses: UInt32 = 1 << 16
    /// The size of the description of a condition, such as `where Element: Equatable`.
    private static let conditionSize: UInt64 = 12
    /// Set in a distance that leads to the place of an address, and not to the thing itself.
    private static let isIndirect: Int32 = 1

    mutating func conformance(
        at address: UInt64, in file: borrowing ELFFile, where isWanted: (String) -> Bool
    ) throws(ELFError) -> SwiftConformance? {
        let fields = ELFBytes(
            try file.bytes(
                atAddress: address, count: Self.size, limit: Self.size, of: .conformances))
        let flags: UInt32 = fields.integer(at: 12)
        // Conditions about packs of types have further parts, which no interface needs so far.
        guard flags & Self.hasResilientWitnesses != 0, flags >> 24 == 0,
            let symbol = try symbol(at: address, fields.integer(at: 0)), isWanted(symbol)
        else { return nil }
        let conditions = UInt64(flags >> 8 & 0xff)
        let start =
            address &+ Self.size &+ (flags & Self.isRetroactive == 0 ? 0 : 4)
            &+ conditions &* Self.conditionSize
        return SwiftConformance(
            protocolSymbol: symbol, requirements: try requirements(at: start, in: file))
    }

    /// Reads a number and as many pairs of ways: one to the requirement, one to its implementation.
    private mutating func requirements(
        at address: UInt64, in file: borrowing ELFFile
    ) throws(ELFError) -> [String] {
        let head = ELFBytes(
            try file.bytes(atAddress: address, count: 4, limit: 4, of: .conformances))
        let count = Int(head.integer(at: 0, as: UInt32.self))
        guard count <= room else { throw .malformed(.conformances) }
        room -= count
        let length = UInt64(8 * count)
        let pairs = ELFBytes(
            try file.bytes(
                atAddress: address &+ 4, count: length, limit: length, of: .conformances))
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
