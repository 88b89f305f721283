// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesELF
package import EavesCatalog

/// A module's binary is not what it has to be.
package enum BinaryFault: Error, Hashable, Sendable {
    /// Not the bytes that the manifest pins. Lowercase hexadecimal.
    case digest(expected: String, found: String)
    /// It defines symbols of the interface itself. Mangled.
    case carriesInterface([String])
    /// It needs symbols of the interface that this host does not have. Mangled.
    case needsOtherInterface([String])
    /// It needs libraries that are not there. Those of `beside` stand beside the module's file,
    /// where the dynamic linker does not look: it loads a copy.
    case missingLibraries([MissingLibrary], beside: [String])
    /// It is linked to other modules.
    case linksModules([LinkedModule])
    /// It needs symbols of other modules.
    case usesModules([ForeignSymbol])
    /// It needs symbols that nobody has. Mangled.
    case lacksSymbols([String])
    /// It is a core module, and uses what only features provide.
    case usesFeatures([UpwardNeed])
}
