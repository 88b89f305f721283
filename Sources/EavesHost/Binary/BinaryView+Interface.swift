// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
package import EavesLoader

extension BinaryView {
    /// What the mangled names of the interface's own declarations begin with.
    static let interfacePrefix = "$s14EavesInterface"

    /// There has to be a function `eaves_register`.
    package func entryProblem() -> LoadError? {
        report.hasEntry ? nil : .noEntryPoint
    }

    /// No symbol of the interface may be defined in the module.
    package func copyProblem() -> BinaryFault? {
        let copied = report.definedNames(startingWith: Self.interfacePrefix)
            .filter(HostSymbols.has)
        return copied.isEmpty ? nil : .carriesInterface(copied)
    }

    /// Each symbol of the interface that the module needs has to be one of the host's.
    package func interfaceProblem() -> BinaryFault? {
        let lacking = report.undefinedNames(startingWith: Self.interfacePrefix)
            .filter { !HostSymbols.has($0) }
        return lacking.isEmpty ? nil : .needsOtherInterface(lacking)
    }
}
