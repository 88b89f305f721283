// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import CEaves
package import EavesCatalog
import EavesSystem

extension HostProfile {
    /// What this host accepts: its ABI, its interface, and the Swift runtime it runs with.
    package static let current = HostProfile(
        abi: Int(EAVES_ABI_VERSION),
        interface: InterfaceVersion(
            major: Int(EAVES_INTERFACE_MAJOR), minor: Int(EAVES_INTERFACE_MINOR)),
        compiler: runtimeVersion)

    /// Major and minor: patch releases of Swift keep their runtime's ABI.
    private static var runtimeVersion: String {
        let numbers = _SwiftStdlibVersion.current.description.split(separator: ".")
        return numbers.prefix(2).map(String.init).chained(by: ".")
    }
}
