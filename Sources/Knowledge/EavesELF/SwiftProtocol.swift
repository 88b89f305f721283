// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

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
