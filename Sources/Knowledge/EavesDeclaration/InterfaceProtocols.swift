// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesELF

/// The protocols of an interface module, as its file has them.
package struct InterfaceProtocols: Sendable {
    private let bySymbol: [String: SwiftProtocol]

    package init(_ protocols: [SwiftProtocol]) {
        bySymbol = Dictionary(protocols.map { ($0.symbol, $0) }) { first, _ in first }
    }

    /// Reads the file of an interface module. Runs no code of it.
    package init(of path: String, _ stamp: InterfaceStamp) throws(ELFError) {
        let file = try ELFFile(path)
        self.init(
            try file.swiftProtocols(
                of: file.dynamicSection(), startingWith: stamp.symbolPrefixes))
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
        let prefixes = stamps.flatMap(\.symbolPrefixes)
        return try file.swiftConformances(of: file.dynamicSection()) { symbol in
            prefixes.contains(where: symbol.hasPrefix)
        }
    }
}
