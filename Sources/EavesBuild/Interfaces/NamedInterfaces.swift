// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
import EavesSystem

/// The interface modules that a module to be names, and what follows from them for its sources.
package struct NamedInterfaces: Sendable {
    /// Names them by their ids. Its services are qualified, as in `WeatherAPI.WeatherService`.
    package private(set) var declaration: ModuleDeclaration
    /// Their Swift modules, in the order of the declaration.
    package private(set) var modules: [String]
    /// They find the interfaces.
    package let tools: InterfaceTools
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

extension Builder {
    /// The services that a module to be could name: the public protocols of the host's interface, and of the interface
    /// modules that are built or linked in.
    package func services(for request: BuildRequest) throws(BuildError) -> [String] {
        let tools = try BuildTools(self, interrupts: nil)
        let modules = lookup.contents(for: request, in: tools.sdk).values
        return tools.sdkContent.protocols + modules.flatMap(\.protocols)
    }

    /// Finds the interface modules of a module to be. A service that it provides need not have its interface named: if one
    /// interface declares it, that is added.
    ///
    /// - Parameters:
    ///   - declaration: What the module is to declare.
    ///   - request: The folder and the output that it is to have. Neither need exist.
    /// - Throws: If the folder's name is taken, if an interface is not there or not built, or if no interface, or more than
    ///   one, declares a service.
    package func interfaces(
        of declaration: ModuleDeclaration, _ request: BuildRequest
    ) throws(BuildError) -> NamedInterfaces {
        let tools = try BuildTools(self, interrupts: nil)
        _ = try ModuleName.module(of: request, compiler: tools.compiler)
        var declaration = declaration
        for service in declaration.provides.map(\.service)
        where !ServiceName.isAmong(tools.sdkContent.protocols, service) {
            let ids = declaration.interfaces.map(\.id)
            guard !lookup.declares(service, among: ids, for: request, in: tools.sdk) else {
                continue
            }
            declaration.interfaces += lookup.holders(
                of: service, besides: Set(ids), for: request, in: tools.sdk
            ).map { InterfaceNeed($0) }
        }
        let found = try ModuleInterfaces(of: declaration, request, tools, lookup)
        var folders: [String] = []
        for file in found.files where !file.isLinked {
            folders.append(try InterfaceCache.searchFolder(for: file, request))
        }
        return NamedInterfaces(
            declaration: found.declaration,
            modules: declaration.interfaces.compactMap { need in
                found.files.first { $0.id == need.id }?.stamp.module
            }, tools: InterfaceTools(tools, finding: folders), files: found.files)
    }
}
