// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesELF
import EavesSystem

/// The protocols of interface modules that a module's binary declares or implements.
package struct ModuleProtocols: Hashable, Sendable {
    /// Those that the module declares, if it is an interface module. Sorted by name.
    package var declared: [ProtocolDigest] = []
    /// Those of other modules' interfaces that types of the module conform to. Sorted by name.
    package var implemented: [ProtocolDigest] = []

    package init() {}

    /// Reads a file that was built from a declaration.
    package init(
        _ file: borrowing ELFFile, _ dynamic: ELFDynamicSection, _ declaration: ModuleDeclaration
    ) throws(ELFError) {
        let prefixes = declaration.interfaces.flatMap { $0.built?.symbolPrefixes ?? [] }
        guard !prefixes.isEmpty || declaration.interface != nil else { return }
        if let stamp = declaration.interfaceStamp {
            declared = try file.swiftProtocols(of: dynamic, startingWith: stamp.symbolPrefixes)
                .map(ProtocolDigest.init).sorted { $0.name < $1.name }
        }
        let conformances = try file.swiftConformances(of: dynamic, toProtocolsWith: prefixes)
        implemented = Set(conformances.toProtocols.map(ProtocolDigest.init)).sorted {
            ($0.name, $0.requirements) < ($1.name, $1.requirements)
        }
    }

    /// Whether an implementation has all requirements of the protocol, and no others, if the module declares the
    /// protocol.
    package func fits(_ implemented: ProtocolDigest) -> Bool {
        declared.allSatisfy { $0.name != implemented.name || $0 == implemented }
    }
}

/// A protocol and its requirements in 8 bytes. A type that implements exactly the requirements of a protocol has the
/// digest of the protocol. Where two digests differ, only the files say what that means.
package struct ProtocolDigest: Hashable, BitwiseCopyable, Sendable {
    /// The hash of the symbol of the protocol's descriptor.
    package var name: UInt32
    /// The hash of all requirements, in whatever order they stand.
    package var requirements: UInt32

    package init(name: UInt32, requirements: UInt32) {
        self.name = name
        self.requirements = requirements
    }

    package init(_ declared: SwiftProtocol) {
        self.init(declared.symbol, declared.requirements.map(\.symbol))
    }

    package init(_ conformance: SwiftConformance) {
        self.init(conformance.protocolSymbol, conformance.requirements)
    }

    private init(_ name: String, _ requirements: [String]) {
        self.name = Self.folded(Self.hash(name))
        self.requirements = Self.folded(requirements.reduce(0) { $0 &+ Self.hash($1) })
    }

    private static func hash(_ text: String) -> UInt64 {
        var hash = FNV1a()
        hash.add(text)
        return hash.hash
    }

    private static func folded(_ hash: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
    }
}

/// The protocols of an interface module, as its file has them.
package struct InterfaceProtocols: Sendable {
    private let bySymbol: [String: SwiftProtocol]

    /// Reads the file of an interface module. Runs no code of it.
    package init(of path: String, _ stamp: InterfaceStamp) throws(ELFError) {
        let file = try ELFFile(path)
        let protocols = try file.swiftProtocols(
            of: file.dynamicSection(), startingWith: stamp.symbolPrefixes)
        bySymbol = Dictionary(protocols.map { ($0.symbol, $0) }) { first, _ in first }
    }

    /// The protocol whose descriptor has this symbol; `nil` if the interface has none.
    package subscript(symbol: String) -> SwiftProtocol? { bySymbol[symbol] }

    /// The requirements without a default that conformances have no implementation of. Mangled; sorted.
    package func requirements(lackingIn conformances: [SwiftConformance]) -> [String] {
        collected(conformances) { $0.requirements(lackingIn: $1) }
    }

    /// The requirements that conformances implement and that the protocols do not have any more. Mangled; sorted.
    package func requirements(goneFor conformances: [SwiftConformance]) -> [String] {
        collected(conformances) { $0.requirements(goneFor: $1) }
    }

    private func collected(
        _ conformances: [SwiftConformance], _ compare: (SwiftProtocol, SwiftConformance) -> [String]
    ) -> [String] {
        let found = conformances.flatMap { conformance in
            bySymbol[conformance.protocolSymbol].map { compare($0, conformance) } ?? []
        }
        return Set(found).sorted()
    }
}

extension SwiftConformance {
    /// The conformances of a file's types to protocols of interfaces. Runs no code of the file.
    package static func all(
        in path: String, to stamps: [InterfaceStamp]
    ) throws(ELFError) -> [SwiftConformance] {
        let file = try ELFFile(path)
        return try file.swiftConformances(
            of: file.dynamicSection(), toProtocolsWith: stamps.flatMap(\.symbolPrefixes)
        ).toProtocols
    }
}
