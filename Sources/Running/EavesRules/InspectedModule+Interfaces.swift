// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
package import EavesDeclaration
import EavesELF
import EavesLoader
import EavesSystem

/// One interface that a module is compiled against.
package struct UsedInterface: Hashable, Sendable {
    /// The id of the interface module; `nil` for the interface between host and modules.
    package let id: String?
    package let module: String

    static let host = UsedInterface(id: nil, module: InterfaceStamp.hostModule)
}

/// An interface module that a module uses and does not name.
package struct UnnamedInterface: Hashable, Sendable {
    package let id: String
    /// The owner that keeps the module from naming it; `nil` if it may name it.
    package let owner: ForeignOwner?
}

// The interfaces: the host's own, and the interface modules that a module names.
extension InspectedModule {
    /// Each interface that the module names is there, in a version that fits. The rule of direction says
    /// whether it may name it, and that of requirements whether it implements what the interface requires.
    func checkInterfaces() -> RuleOutcome {
        guard case .interfaces(let all) = entry.problem else { return .kept }
        let problems = all.filter { !$0.isAboutOwner && !$0.isAboutRequirements }
        return problems.isEmpty ? .kept : .broken(.catalog(.interfaces(problems)))
    }

    func checkNamedInterfaces() throws(ELFError) -> RuleOutcome {
        let ids = try unnamedInterfaces.get().filter { $0.owner == nil }.map(\.id)
        return ids.isEmpty ? .kept : .broken(.unnamedInterfaces(ids))
    }

    func findUnnamedInterfaces() throws(ELFError) -> [UnnamedInterface] {
        guard let catalog else { return [] }
        let prefixes = usedInterfaces.map { SwiftSymbols.prefix(of: $0.module) }
        var others: Set<String> = []
        for symbol in try report.symbols where !symbol.isDefined {
            let name = symbol.name
            // A member that one interface adds to a type of another one, or of the standard library.
            if let module = SwiftSymbols.extendingModule(of: name, demangle: SymbolName.demangled) {
                others.insert(module)
            }
            guard !prefixes.contains(where: name.hasPrefix),
                let module = SwiftSymbols.module(of: name)
            else { continue }
            others.insert(module)
        }
        others.subtract(usedInterfaces.map(\.module))
        // Each question to the catalog costs a launch a scan.
        others.subtract(SwiftSymbols.toolchainModules)
        others.subtract(entry.declaration?.interface?.modules ?? [])
        let ids = others.sorted().compactMap(catalog.interface(ofSwift:))
        return ids.map { id in
            UnnamedInterface(
                id: id, owner: entry.declaration.flatMap { catalog.foreignOwner(of: id, for: $0) })
        }
    }

    func checkDeclaredServices() -> RuleOutcome {
        guard let catalog, let declaration = entry.declaration else { return .kept }
        let services = declaration.provides.map(\.service) + declaration.requires
        let named = Set(
            [InterfaceStamp.hostModule] + declaration.interfaces.compactMap(\.built?.module))
        var foreign: [String] = []
        for service in Set(services).sorted() {
            guard let module = ServiceName.module(service) else { continue }
            if !named.contains(module) { foreign.append(service) }
            guard
                let need = declaration.interfaces.first(where: { $0.built?.module == module }),
                case .module(let interface)? = catalog.interface(need.id),
                let protocols = interface.declaration?.interface?.protocols
            else { continue }
            let name = String(service.dropFirst(module.count + 1))
            if !protocols.contains(name) { foreign.append(service) }
        }
        return foreign.isEmpty ? .kept : .broken(.foreignServices(foreign))
    }

    func checkEntryPoint() throws(ELFError) -> RuleOutcome {
        let hasEntry = try report.hasEntry
        if isInterface { return hasEntry ? .broken(.interfaceWithEntryPoint) : .kept }
        return hasEntry ? .kept : .broken(.noEntryPoint)
    }

    func checkInterfaceIsNotCarried() throws(ELFError) -> RuleOutcome {
        for interface in usedInterfaces {
            let defined = try report.definedNames(
                startingWith: SwiftSymbols.prefix(of: interface.module))
            let copied = defined.filter {
                (isDefined($0, by: interface) ?? false) && !isExtension($0, of: interface)
            }
            if !copied.isEmpty { return .broken(.carriesInterface(interface.module, copied)) }
        }
        return .kept
    }

    func checkInterfaceSymbols() throws(ELFError) -> RuleOutcome {
        let interfaces = usedInterfaces
        for interface in interfaces {
            let used = try report.undefinedNames(
                startingWith: SwiftSymbols.prefix(of: interface.module))
            let lacking = used.filter { symbol in
                guard isDefined(symbol, by: interface) == false else { return false }
                return !isExtension(symbol, of: interface)
                    || interfaces.allSatisfy { isDefined(symbol, by: $0) == false }
            }
            if !lacking.isEmpty { return .broken(.lacksInterfaceSymbols(interface.id, lacking)) }
        }
        return .kept
    }

    var isInterface: Bool { entry.declaration?.layer == .interface }

    /// The Swift modules of the host's interface and of those that the module was built against.
    var usedInterfaces: [UsedInterface] {
        let needs = entry.declaration?.interfaces ?? []
        return [.host]
            + needs.flatMap { need in
                (need.built?.modules ?? []).map { UsedInterface(id: need.id, module: $0) }
            }
    }

    /// Whether a symbol is of an extension that another module declares. Its name begins with the interface's,
    /// and a program that has linked the other module in has it, too.
    private func isExtension(_ symbol: String, of interface: UsedInterface) -> Bool {
        // Demangled, it is "(extension in Common):…", perhaps behind words about a part of it.
        let words = SymbolName.demangled(symbol).split(separator: "(")
            .filter { $0.hasPrefix("extension in ") }
        return !words.isEmpty
            && !words.contains { $0.hasPrefix("extension in \(interface.module))") }
    }

    /// Whether a symbol belongs to one of the interfaces, is an associated type of their protocols, or a member that
    /// one of them adds to a foreign type.
    func isOfInterface(_ symbol: String) -> Bool {
        let interfaces = usedInterfaces
        if interfaces.contains(where: { symbol.hasPrefix(SwiftSymbols.prefix(of: $0.module)) }) {
            return true
        }
        let module =
            SwiftSymbols.associatingModule(of: symbol, demangle: SymbolName.demangled)
            ?? SwiftSymbols.extendingModule(of: symbol, demangle: SymbolName.demangled)
        if let interface = interfaces.first(where: { $0.module == module }) {
            return isDefined(symbol, by: interface) ?? true
        }
        // Code that is inlined from a package may call what that has in C.
        return interfaces.contains {
            $0.id.flatMap(interfaceFile)?.symbols?.contains(symbol) == true
        }
    }

    /// The symbols of each interface that the module binds to, those of the host's own first. Mangled; empty
    /// if the binary cannot be read.
    package var interfaceSymbols: [(interface: UsedInterface, symbols: [String])] {
        guard let report = try? binary.get() else { return [] }
        let host = InterfaceStamp(module: InterfaceStamp.hostModule, version: host.interface)
        let stamps =
            [(nil, host)]
            + (entry.declaration?.interfaces ?? []).compactMap { need in
                need.built.map { (need.id, $0) }
            }
        return stamps.map { id, stamp in
            (
                UsedInterface(id: id, module: stamp.module),
                stamp.symbolPrefixes.flatMap(report.undefinedNames(startingWith:))
            )
        }
    }

    /// Whether the program has linked in the Swift module of this interface module, so that its file is not
    /// needed: the process then has protocols that the file defines.
    package func isInProcess(_ stamp: InterfaceStamp) -> Bool {
        let symbols = held?.finding.map { [$0] } ?? protocolDescriptors(in: stamp)
        return symbols.contains { !$0.isEmpty && HostSymbols.has($0) }
    }

    /// The symbols of the protocols that the file defines.
    func protocolDescriptors(in stamp: InterfaceStamp) -> [String] {
        guard let report = try? binary.get() else { return [] }
        return stamp.symbolPrefixes.flatMap(report.definedNames(startingWith:))
            .filter(SwiftSymbols.isProtocolDescriptor)
    }

    /// Whether an interface defines a symbol: the process has it, or the file of the interface module, which
    /// need not be loaded yet.
    ///
    /// - Returns: `nil` if there is no file to look at.
    private func isDefined(_ symbol: String, by interface: UsedInterface) -> Bool? {
        if HostSymbols.has(symbol) { return true }
        guard let id = interface.id else { return false }
        return interfaceFile(id)?.symbols?.contains(symbol)
    }
}

// The requirements of protocols, as a module implements them and as its interfaces have them at present.
extension InspectedModule {
    /// The types of the module implement every requirement that has no default of the protocols that they conform
    /// to. A version says nothing about that if its author changed an interface and left its version as it was.
    func checkRequirements() throws(ELFError) -> RuleOutcome {
        if case .interfaces(let all) = entry.problem {
            let problems = all.filter(\.isAboutRequirements)
            if !problems.isEmpty { return .broken(.catalog(.interfaces(problems))) }
        }
        var problems: [InterfaceProblem] = []
        let conformances = try conformances.get().toProtocols
        for interface in usedInterfaces {
            let prefix = SwiftSymbols.prefix(of: interface.module)
            let lacking = conformances.filter { $0.protocolSymbol.hasPrefix(prefix) }
                .flatMap { requirements(lackingIn: $0, of: interface) }
            guard !lacking.isEmpty else { continue }
            problems.append(
                .otherRequirements(
                    interface.id ?? interface.module, lacking: Set(lacking).sorted(), gone: [],
                    path: interface.id.flatMap(interfaceFile)?.entry.path))
        }
        return problems.isEmpty ? .kept : .broken(.catalog(.interfaces(problems)))
    }

    /// The interface that the process has goes before the file, which need not be loaded yet.
    private func requirements(
        lackingIn conformance: SwiftConformance, of interface: UsedInterface
    ) -> [String] {
        let symbol = conformance.protocolSymbol
        return HostSymbols.requirements(of: symbol, lackingIn: conformance.requirements)
            ?? interface.id.flatMap(interfaceFile)?.protocols?[symbol]?
            .requirements(lackingIn: conformance) ?? []
    }
}
