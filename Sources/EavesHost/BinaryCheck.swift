// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesLoader
import EavesSystem

/// The last look at a module's file before it is loaded: its digest and its symbols.
enum BinaryCheck {
    /// - Parameters:
    ///   - file: The copy that is about to be loaded.
    ///   - pinned: The SHA-256 that the manifest demands.
    static func run(_ file: String, pinned: String?) throws {
        if let pinned {
            let found = try SHA256.digest(of: Files.read(file)).hex
            guard found == pinned else { throw BinaryFault.digest(expected: pinned, found: found) }
        }
        let report = try BinaryReport(of: file)
        guard report.hasEntry else { throw LoadFailure.noEntryPoint }
        let copied = report.definedNames(startingWith: interfacePrefix).filter(HostSymbols.has)
        guard copied.isEmpty else { throw BinaryFault.carriesInterface(copied) }
        let lacking = report.undefinedNames(startingWith: interfacePrefix)
            .filter { !HostSymbols.has($0) }
        guard lacking.isEmpty else { throw BinaryFault.needsOtherInterface(lacking) }
    }

    /// What the mangled names of the interface's own declarations begin with.
    static let interfacePrefix = "$s14EavesInterface"
}
