// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuild
import EavesCatalog
import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesManifest
import EavesModules
import EavesOutput
import EavesSources
import EavesSystem
import EavesTemplates
import EavesTrust

extension Subcommand {
    static let new = Subcommand(
        name: "new",
        summary: "make a module: sources that run, and a test",
        operands: "KIND NAME",
        completed: [.oneOf(ModuleTemplate.Kind.words)],
        options: NewModule.languages.map(\.option) + [.interface, .manifest, .provides],
        discussion: """
            KIND is feature, service, interface or composition. Makes a folder in the first of the
            manifest's directories. What it makes builds, keeps its promises and passes its test as it is.
            NAME is the module's id, such as 'users-cache', and the name of a feature. A service conforms to
            each protocol that '--provides' names, with members that return something empty. A feature can be
            in C, C++ or Rust; what is in Swift can be a Swift package, which uses other packages.
            The project's Package.swift gets a line for it.
            """,
        run: .plain { try NewModule($0).make() })
}

extension OptionSpec {
    fileprivate static let interface = OptionSpec(
        "interface", value: "ID", completed: .interface,
        help: "name an interface module; may be given several times")
    fileprivate static let provides = OptionSpec(
        "provides", value: "SERVICE", completed: .service,
        help: "a service; of an interface, a protocol; may be given several times")
}

private struct NewModule {
    static let languages: [(option: OptionSpec, language: ModuleTemplate.Language)] = [
        (OptionSpec("c", help: "write it in C"), .c),
        (OptionSpec("cpp", help: "write it in C++"), .cpp),
        (OptionSpec("package", help: "make it a Swift package"), .package),
        (OptionSpec("rust", help: "write it in Rust"), .rust),
    ]

    private let options: ParsedOptions
    private let terminal: Terminal
    private let module: ModuleTemplate

    init(_ call: SubcommandCall) throws {
        options = call.options
        terminal = call.terminal
        module = try Self.module(options)
    }

    private static func module(_ options: ParsedOptions) throws(CommandError) -> ModuleTemplate {
        let kind = try ModuleTemplate.Kind.named(options.operands[0], of: "kind of module")
        let id = options.operands[1]
        guard NameRule.moduleID.allows(id) else { throw .badName(id) }
        let chosen = languages.filter { options.has($0.option) }
        guard chosen.count <= 1 else {
            throw .excludingOptions(chosen.map { "--" + $0.option.long })
        }
        var services: [String] = []
        for service in options.allValues(.provides) where !services.contains(service) {
            // An interface module declares a protocol of its own, which no other module qualifies.
            let isOwn = kind != .interface || ServiceName.module(service) == nil
            guard isOwn, NameRule.serviceName.allows(service) else { throw .badService(service) }
            // The types that provide them have the names of their services.
            let word = ServiceName.word(service)
            if let other = services.first(where: { ServiceName.word($0) == word }) {
                throw .excludingOptions([other, service].map { "--provides \($0)" })
            }
            services.append(service)
        }
        let language = chosen.first?.language ?? .swift
        let isForeign = ![.swift, .package].contains(language)
        switch kind {
        case .feature where !services.isEmpty:
            throw .misplacedOption("--provides", "for services, interfaces and compositions")
        case .service where services.isEmpty: throw .noService(id)
        case .interface where isForeign:
            throw .misplacedOption(
                "--\(chosen[0].option.long)", "for other kinds: an interface is in Swift")
        case _
        where isForeign && (!services.isEmpty || kind != .feature || options.has(.interface)):
            throw .misplacedOption(
                "--\(chosen[0].option.long)",
                "for features that use no interface: services are protocols of Swift")
        default: break
        }
        return ModuleTemplate(kind, id: id, in: language, services: services)
    }

    func make() throws {
        let manifest = try options.manifest()
        let catalog = Catalog(manifest: manifest, profile: .current)
        try checkNames(in: catalog)
        let directory = Path.absolute(
            manifest.directories.first ?? ".", from: manifest.directory)
        let folder = Path.join(directory, module.folder)
        guard (try? FileStatus(path: folder)) == nil else { throw TemplateError.taken(folder) }
        let request = BuildRequest(
            id: module.id, folder: folder, output: Path.join(directory, "\(module.id).so"))
        var interfaces = try interfaces(request, catalog, manifest)
        let sketches = try sketches(interfaces, in: directory, manifest.trust)
        for sketch in sketches { interfaces.name(sketch.modules) }
        let files = module.files(interfaces, providing: sketches)
        try files.write(into: folder)
        files.forEach { terminal.sayWritten(Path.join(folder, $0.path)) }
        try addToPackage(folder, interfaces.modules, manifest)
        terminal.say(advice(folder))
    }

    /// - Throws: If another module has the id, or offers a feature of that name.
    private func checkNames(in catalog: Catalog) throws(CommandError) {
        if let known = catalog.entry(module.id) { throw .takenID(module.id, path: known.path) }
        let offers = module.declaration(naming: []).features.map(\.name)
        let other = catalog.entries.first { entry in
            entry.declaration?.features.contains { offers.contains($0.name) } == true
        }
        if let other { throw .takenFeature(module.id, module: other.id) }
    }

    /// The interfaces that the module names, which are built for that.
    private func interfaces(
        _ request: BuildRequest, _ catalog: Catalog, _ manifest: Manifest
    ) throws -> NamedInterfaces {
        let named = options.allValues(.interface)
        var seen: Set<String> = []
        let declaration = module.declaration(naming: named.filter { seen.insert($0).inserted })
        let builder = Builder(in: manifest, usesColor: terminal.isColored)
        if !declaration.interfaces.isEmpty || !declaration.provides.isEmpty {
            let requests = catalog.entries
                .filter { $0.declaration?.layer == .interface && $0.isBuildable }
                .compactMap { BuildRequest($0, nil, manifest.trust) }
            try builder.build(requests, showing: terminal)
        }
        let choice = try InterfaceChoice(request, builder)
        for service in declaration.provides.map(\.service)
        where !choice.services.contains(ServiceName.word(service)) {
            throw CommandError.undeclaredService(service, known: choice.services)
        }
        return try choice.interfaces(of: declaration)
    }

    private func sketches(
        _ interfaces: NamedInterfaces, in directory: String, _ trust: TrustCheck
    ) throws -> [ConformanceSketch] {
        guard !interfaces.declaration.provides.isEmpty else { return [] }
        try Output.makeFolder(directory, trust)
        let place = try trust.openWorkplace(directory)
        let folder = try WorkFolder(in: place, for: "new")
        return try interfaces.declaration.provides.map {
            try ConformanceSketch(of: $0.service, with: interfaces, in: folder)
        }
    }

    private func addToPackage(
        _ folder: String, _ modules: [String], _ manifest: Manifest
    ) throws(TemplateError) {
        let path = Path.relative(folder, to: manifest.directory)
        let line = module.packageLine(for: path, importing: modules)
        do throws(TemplateError) {
            if try ProjectPackage.add(line, in: manifest.directory) {
                let package = Path.join(manifest.directory, ProjectPackage.fileName)
                terminal.say("added it to \(Path.relative(package, to: Path.current))")
            }
        } catch {
            guard case .noPlace = error else { throw error }
            // The module is whole without it.
            terminal.warn(error.diagnostic)
        }
    }

    /// The next step of a person.
    private func advice(_ folder: String) -> String {
        let source = Path.relative(folder, to: Path.current)
        return switch module.kind {
        case .interface:
            "write its protocol in \(source), and make a module that conforms to it with 'eaves new service NAME "
                + "\(module.services.map { "--provides \($0)" }.joined(separator: " "))'"
        case _ where !module.services.isEmpty:
            "write its members in \(source), and choose it with "
                + module.services.map { "'eaves swap \($0) \(module.id)'" }.joined(
                    separator: " and ")
        default: "run it with 'eaves launch \(module.id)'"
        }
    }
}

extension Subcommand {
    static let initialize = Subcommand(
        name: "init",
        summary: "begin a project: a manifest, and a folder for modules",
        operands: "[FOLDER]",
        options: [],
        discussion: """
            Writes a manifest.json into the folder, or into the current one, with the folder Plugins for
            modules, a .gitignore, and a Package.swift for editors and for 'swift test'. It overwrites
            nothing: a Package.swift that is there stays as it is. 'eaves new' makes the first module.
            """,
        run: .plain { try $0.initialize() })
}

extension SubcommandCall {
    fileprivate func initialize() throws {
        let folder = Path.absolute(options.operands.first ?? ".")
        let sdk = try? SDK.locate(forHost: Builder.thisProgram)
        let project = ProjectTemplate(folder: folder, eaves: sdk?.package)
        try project.write().forEach { terminal.sayWritten(Path.join(folder, $0)) }
        if project.eaves == nil {
            terminal.say(
                "no Package.swift: the package of Eaves is not where the command comes from")
        }
        let path = Path.relative(folder, to: Path.current).shellPath
        let place = folder == Path.current ? "" : "cd \(path) && "
        terminal.say("make a module with '\(place)eaves new feature hello'")
    }
}

extension Terminal {
    /// Names a file that a command has made. The path is absolute.
    func sayWritten(_ path: String) {
        say("wrote \(Path.relative(path, to: Path.current))")
    }
}
