// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
package import EavesCatalog
import EavesSystem

/// What modules are compiled against: the interface module and the C header of one host.
package struct SDK: Hashable, Sendable {
    /// Where the compiler finds `EavesInterface.swiftmodule`.
    package let moduleFolder: String
    /// The module map of `CEaves`.
    package let moduleMap: String
    /// The interface as text: what the compiler sees of it.
    package let textualInterface: String
    /// `eaves.h`.
    package let header: String

    /// Finds what belongs to a host. Each launch comes by here: the header is not read.
    ///
    /// - Parameter executable: The host's own path. The SDK stands beside it, as `swift build` leaves
    ///   it, or in `../lib/eaves`, with the module map in `CEaves.build` or `include`.
    package static func locate(besides executable: String) throws(BuildError) -> SDK {
        let folder = Path.parent(of: Files.resolved(executable) ?? Path.absolute(executable))
        let places = [folder, Path.absolute("../lib/eaves", from: folder)]
        for place in places {
            if let sdk = try SDK(in: place) { return sdk }
        }
        throw BuildError("eaves", .noSDK(searched: places))
    }

    /// `nil` if there is none in the folder.
    private init?(in folder: String) throws(BuildError) {
        let modules = Path.join(folder, "Modules")
        let interface = Path.join(modules, "EavesInterface.swiftinterface")
        let maps = ["CEaves.build/module.modulemap", "include/module.modulemap"]
            .map { Path.join(folder, $0) }
        let map = maps.first { FileStamp(path: $0) != nil }
        guard let map, FileStamp(path: interface) != nil else { return nil }
        let header = try ModuleMap.header("eaves.h", of: map)
        moduleFolder = modules
        moduleMap = map
        textualInterface = interface
        self.header = header
    }

    /// Reads the versions that the header defines.
    ///
    /// - Returns: That of the C ABI, and that of the interface.
    package func versions() throws(BuildError) -> (abi: Int, interface: InterfaceVersion) {
        let numbers = try CHeader(header)
        let abi = try numbers.number(of: "EAVES_ABI_VERSION")
        let interface = InterfaceVersion(
            major: try numbers.number(of: "EAVES_INTERFACE_MAJOR"),
            minor: try numbers.number(of: "EAVES_INTERFACE_MINOR"))
        return (abi, interface)
    }
}
