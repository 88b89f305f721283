// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
public import EavesDiagnostics

// The words of an entry for a program that has a host.
extension CatalogEntry {
    /// The version that the module declares; `nil` if it cannot be read.
    public var version: String? { declaration?.version }
    /// The purpose of the module, in one line. May be empty.
    public var summary: String { declaration?.summary ?? "" }
    /// The services that the module declares to provide, by the names of their protocols, each once. Where two
    /// interfaces of the module have protocols of one name, the name has the Swift module in front: `WeatherAPI.Clock`.
    public var provides: [String] { listedServices(ownNames) }
    /// The services that the module asks other modules for, named in the same way.
    public var requires: [String] { listedRequirements(ownNames) }
    /// The reasons why the module cannot be used as it is. A module that is ready has one if its own file is kept out, so
    /// that its last good file takes the place of it; else it has none, as one that is disabled.
    public var problems: [Diagnostic] { diagnostics + [standInWarning].compactMap(\.self) }
}
