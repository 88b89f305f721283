// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCode
package import EavesCompiler
package import EavesDeclaration
import EavesSystem

/// The interface modules that a module to be names, and what follows from them for its sources.
package struct NamedInterfaces: Sendable {
    /// The declaration of the module, with the interface modules by their ids. Its services are qualified, as in `WeatherAPI.WeatherService`.
    package private(set) var declaration: ModuleDeclaration
    /// Their Swift modules, in the order of the declaration.
    package private(set) var modules: [String]
    package let tools: InterfaceTools
    /// The types of all interfaces, and of the host's.
    package let names: TypeNames
    /// All interfaces, also those that the named ones build on.
    let files: [InterfaceFile]

    /// Names further interfaces, of those that the named ones build on.
    ///
    /// - Parameter modules: Their Swift modules. Others, and those that are named, make no difference.
    package mutating func name(_ modules: [String]) {
        for file in files where modules.contains(file.stamp.module) {
            guard !declaration.interfaces.contains(where: { $0.id == file.id }) else { continue }
            declaration.interfaces.append(InterfaceNeed(file.id))
            self.modules.append(file.stamp.module)
        }
    }
}

/// The interface modules that a module to be can name: those that are built, and those that the program has linked in.
package struct InterfaceChoice: Sendable {
    private let tools: BuildTools
    private let lookup: InterfaceLookup
    private let request: BuildRequest
    /// Their protocols, by their ids.
    private let contents: [String: InterfaceContent]

    /// - Parameter request: The folder and the output that a module is to have. Neither need exist.
    /// - Throws: If the folder's name is taken, or the compiler cannot be used.
    package init(_ request: BuildRequest, _ builder: Builder) throws(BuildError) {
        self.request = request
        lookup = builder.lookup
        tools = try builder.tools()
        _ = try ModuleName.module(of: request, compiler: tools.compiler)
        contents = lookup.contents(for: request, in: tools.sdk)
    }

    /// The services that the module could name: the public protocols of the host's interface, and of these modules.
    package var services: [String] {
        tools.sdkContent.protocols + contents.values.flatMap(\.protocols)
    }

    /// Finds the interface modules of the module. A service that it provides need not have its interface named: if one
    /// interface declares it, that is added.
    ///
    /// - Throws: If an interface is not there or not built, or if no interface, or more than one, declares a service.
    package func interfaces(
        of declaration: ModuleDeclaration
    ) throws(BuildError) -> NamedInterfaces {
        var declaration = declaration
        for service in declaration.provides.map(\.service)
        where !ServiceName.isAmong(tools.sdkContent.protocols, service) {
            let holders = contents.filter { $0.value.declares(service) }.keys.sorted()
            guard !declaration.interfaces.contains(where: { holders.contains($0.id) }) else {
                continue
            }
            declaration.interfaces += holders.map { InterfaceNeed($0) }
        }
        let found = try ModuleInterfaces(of: declaration, request, tools, lookup)
        let folders = try InterfaceCache.searchFolders(for: found.files, request)
        var texts = [InterfaceStamp.hostModule: tools.sdkContent.interface]
        for file in found.files { texts[file.stamp.module] = file.text.bytes }
        return NamedInterfaces(
            declaration: found.declaration,
            modules: declaration.interfaces.compactMap { need in
                found.files.first { $0.id == need.id }?.stamp.module
            }, tools: InterfaceTools(tools, finding: folders), names: TypeNames(texts),
            files: found.files)
    }
}
