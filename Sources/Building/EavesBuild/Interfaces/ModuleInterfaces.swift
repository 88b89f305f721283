// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCode
package import EavesCompiler
package import EavesDeclaration
import EavesDiagnostics
import EavesSystem
import EavesTrust

/// The interfaces that one module is compiled against, and the declaration that follows from them.
struct ModuleInterfaces: Sendable {
    /// All of them, also those that others of them build on. Each comes after those that it builds on.
    private(set) var files: [InterfaceFile] = []
    /// The declaration for the note: it says what was compiled against, and its services are qualified.
    private(set) var declaration: ModuleDeclaration

    private var problems: [InterfaceUseProblem] = []
    private let request: BuildRequest
    private let tools: BuildTools
    private let lookup: InterfaceLookup
    private let host: HostProfile

    /// Finds and reads the interfaces.
    ///
    /// - Throws: ``BuildError`` with every problem.
    init(
        of declaration: ModuleDeclaration, _ request: BuildRequest, _ tools: BuildTools,
        _ lookup: InterfaceLookup
    ) throws(BuildError) {
        self.declaration = declaration
        self.request = request
        self.tools = tools
        self.lookup = lookup
        host = HostProfile(
            abi: tools.versions.abi, interface: tools.versions.interface,
            compiler: tools.compiler.version)
        for index in declaration.interfaces.indices {
            let id = declaration.interfaces[index].id
            let file = add(id, neededBy: [request.id])
            self.declaration.interfaces[index].built = file?.stamp
            if let owner = lookup.foreignOwner(file?.owner, for: declaration, request) {
                problems.append(.owned(id: id, owner))
            }
        }
        checkModules()
        // Without an interface, most of the services would be unknown as well.
        if problems.isEmpty { qualifyServices() }
        guard problems.isEmpty else { throw BuildError(request.id, .interfaces(problems)) }
    }

    // MARK: Files

    /// Adds an interface, and before it those that it builds on.
    ///
    /// - Parameter chain: The ids that lead to it, the module's own first.
    private mutating func add(_ id: String, neededBy chain: [String]) -> InterfaceFile? {
        if let known = files.first(where: { $0.id == id }) { return known }
        do throws(InterfaceUseProblem) {
            if let start = chain.firstIndex(of: id) { throw .cycle(Array(chain[start...]) + [id]) }
            let file = try find(id)
            for need in file.needs {
                guard let needed = need.built, let found = add(need.id, neededBy: chain + [id])
                else { continue }
                if found.stamp.module != needed.module
                    || !found.stamp.version.serves(needed.version)
                {
                    throw .otherVersion(
                        id: need.id, user: id, needed: needed, found: found.stamp)
                }
            }
            files.append(file)
            return file
        } catch {
            if !problems.contains(error) { problems.append(error) }
            return nil
        }
    }

    private func find(_ id: String) throws(InterfaceUseProblem) -> InterfaceFile {
        if let linked = lookup.linked.first(where: { $0.id == id }) {
            return try InterfaceFile(linked: linked, in: tools.sdk)
        }
        guard let place = lookup.place(of: id, for: request) else {
            let known = Set(lookup.all(for: request).keys).union(lookup.linked.map(\.id))
            throw .missing(id: id, known: known.subtracting([request.id]).sorted())
        }
        if let sources = place.request, let declared = try? sources.source().declaration,
            declared.layer != .interface
        {
            throw .notAnInterface(id: id, file: sources.shownFolder, layer: declared.layer)
        }
        let shown = Path.relative(place.file, to: request.base)
        let file = try InterfaceFile(id, at: place.file, shownAs: shown, for: host)
        if let error = request.trust.error(of: TrustPlace(file.path, .module)) {
            throw .refused(error.diagnostic)
        }
        // A file that is built here comes from the sources, and is pinned and signed afterwards.
        if place.request == nil, let refusal = lookup.project?.refusal(of: id) {
            throw .refused(refusal)
        }
        return file
    }

    private mutating func checkModules() {
        var ids: [String: [String]] = [:]
        for file in files { ids[file.stamp.module, default: []].append(file.id) }
        for (module, ids) in ids.sorted(by: { $0.key < $1.key }) where ids.count > 1 {
            problems.append(.sameModule(module, ids: ids))
        }
    }

    // MARK: Services

    private mutating func qualifyServices() {
        for index in declaration.provides.indices {
            let service = qualified(declaration.provides[index].service)
            declaration.provides[index].service = service
        }
        for index in declaration.requires.indices {
            let service = qualified(declaration.requires[index])
            declaration.requires[index] = service
        }
    }

    /// The protocols that the module's services may be, under their qualified names.
    private var services: [(module: String, protocols: [String])] {
        let named = declaration.interfaces.compactMap { need in
            files.first { $0.id == need.id }
        }
        return [(InterfaceStamp.hostModule, tools.sdkContent.protocols)]
            + named.map { ($0.stamp.module, $0.protocols) }
    }

    private mutating func qualified(_ service: String) -> String {
        let services = services
        let names = services.flatMap { module, protocols in
            protocols.map { "\(module).\($0)" }
        }
        let found = names.filter { ServiceName.agree($0, service) }
        if found.count == 1 { return found[0] }
        let problem: InterfaceUseProblem =
            found.isEmpty
            ? unknown(service, among: services) : .ambiguousService(service, names: found)
        if !problems.contains(problem) { problems.append(problem) }
        return service
    }

    /// The problem with a service that none of the interfaces has: perhaps one has it that the module must not name.
    private func unknown(
        _ service: String, among services: [(module: String, protocols: [String])]
    ) -> InterfaceUseProblem {
        let holders = holders(of: service).map { id in
            (id: id, owner: lookup.foreignOwner(ofInterface: id, for: declaration, request))
        }
        let free = holders.filter { $0.owner == nil }.map(\.id)
        if free.isEmpty, let first = holders.first, let owner = first.owner {
            return .ownedService(service, id: first.id, owner)
        }
        return .unknownService(
            service, interfaces: services.map(\.module),
            similar: NearMatch.suggestions(
                for: ServiceName.word(service), among: services.flatMap(\.protocols)),
            providers: free, unbuilt: lookup.project?.unbuiltInterfaces ?? [])
    }

    /// The ids of the interface modules of the project that have a protocol and are not named. If none that
    /// is built has it, those that could be built are asked.
    private func holders(of service: String) -> [String] {
        let named = Set(declaration.interfaces.map(\.id) + [request.id])
        let built = lookup.contents(for: request, in: tools.sdk).filter {
            !named.contains($0.key) && $0.value.declares(service)
        }
        if !built.isEmpty { return built.keys.sorted() }
        let sources = lookup.sources(for: request).filter {
            !named.contains($0.id) && $0.content.declares(service)
        }
        return Set(sources.map(\.id)).sorted()
    }
}

extension InterfaceLookup {
    /// The protocols of all interface modules that are built or linked in, by the modules' ids.
    func contents(for request: BuildRequest, in sdk: SDK) -> [String: InterfaceContent] {
        var known = all(for: request)
        for linked in linked {
            guard let file = try? InterfaceFile(linked: linked, in: sdk) else { continue }
            known[linked.id] = InterfaceContent(
                module: file.stamp.module, protocols: file.protocols)
        }
        return known
    }
}

extension InterfaceContent {
    /// Whether one of the protocols can be meant by the name of a service.
    func declares(_ service: String) -> Bool {
        protocols.contains { ServiceName.agree("\(module).\($0)", service) }
    }
}

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
            }, tools: InterfaceTools(tools, finding: folders, for: request.id),
            names: TypeNames(texts),
            files: found.files)
    }
}
