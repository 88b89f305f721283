// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesJSON
import EavesProcess
import EavesSystem
import EavesTrust

/// Takes the steps before and after the compiler runs for one module.
struct ModuleBuild {
    enum Beginning {
        case upToDate(warnings: [Diagnostic])
        case compiling(Compilation)
        /// Another module of the same run is compiled into the folder that this one needs.
        case waiting
        /// Another build compiles this module: of this process, if it is known.
        case held(LockHolder?)
    }

    enum Ending {
        case built(warnings: [Diagnostic])
        case again
    }

    let request: BuildRequest
    let builder: Builder

    /// Compares the module with its inputs, and prepares a compilation if they differ.
    ///
    /// - Parameters:
    ///   - tools: Called after the folder has been checked, so that errors of the folder are reported first.
    ///   - busy: The folders of packages that the run compiles into now.
    func begin(
        besides busy: Set<String> = [], _ tools: () throws(BuildError) -> BuildTools
    ) throws(BuildError) -> Beginning {
        let source = try request.source()
        guard source.declaration.id == request.id else {
            throw BuildError(request.id, .otherID(found: source.declaration.id))
        }
        try checkOutput()
        try checkFolders()
        // One that is not installed is told before the compiler is looked for, which takes longer.
        var c = CSettings(libraries: try CLibrary.find(source.link, for: request.id))
        c.headerFolders = source.include.map { Path.join(request.folder, $0) }
        var (sources, contents, now) = try read()
        let isInterface = source.declaration.layer == .interface
        var swiftModule = source.swiftModule
        let method: BuildMethod
        switch sources.kind {
        case .sources where isInterface, .crate where isInterface:
            let cSources = CSources(in: request.folder, contents)
            guard sources.kind == .sources, cSources.files.isEmpty, cSources.moduleMaps.isEmpty
            else {
                throw BuildError(
                    request.id, .interfaces([.notInSwift(folder: request.shownFolder)]))
            }
            guard contents.contains(where: \.isSwift) else {
                throw BuildError(request.id, .noSources(folder: request.shownFolder))
            }
            method = .swift(.absent, cSources)
        case .sources:
            method = try self.method(source, contents)
        case .package:
            let package = try PackageBuild(request, try tools(), isInterface: isInterface)
            (sources, contents, now) = try read(with: package.dependencies)
            let own = contents.filter { package.target(of: $0.name) != nil }
            if isInterface { swiftModule = try package.module(named: swiftModule, request) }
            method = .package(
                package,
                isInterface ? .absent : try EntryPoint(of: request, named: source.entry, in: own))
        case .crate:
            let crate = try CrateBuild(request, try tools())
            (sources, contents, now) = try read(with: crate.dependencies)
            method = .crate(crate)
        }
        let tools = try tools()
        c.packages = try tools.packages(source.pkgConfig, for: request.id)
        let interfaces = try ModuleInterfaces(
            of: source.declaration, request, tools, builder.lookup)
        let recipe = BuildRecipe(
            request: request, declaration: interfaces.declaration,
            configuration: request.configuration ?? request.records.record?.configuration ?? .debug,
            sources: sources, sourcesDigest: BuildRecipe.digest(of: contents),
            method: method, c: c, tools: tools,
            moduleName: try ModuleName.module(
                of: request, named: swiftModule, compiler: tools.compiler),
            interfaces: interfaces.files)
        let inputs = recipe.inputs(of: contents)
        let claim: BuildClaim?
        switch request.records.claim() {
        case .held(let holder): return .held(holder)
        case .taken(let taken): claim = taken
        }
        guard let warnings = confirm(recipe, inputs, at: now) else {
            if let scratch = PackageScratch.path(of: recipe), busy.contains(scratch) {
                return .waiting
            }
            return .compiling(
                try Compilation(recipe, inputs, claim, usesColor: builder.usesColor))
        }
        return .upToDate(warnings: warnings)
    }

    /// How sources in Swift, C and C++ become the module.
    private func method(
        _ source: SourceDeclaration, _ contents: [SourceFiles.Content]
    ) throws(BuildError) -> BuildMethod {
        let cSources = CSources(in: request.folder, contents)
        if contents.contains(where: \.isSwift) {
            let entryPoint = try EntryPoint(
                of: request, named: source.entry, in: contents, isInC: cSources.hasEntryPoint)
            return .swift(entryPoint, cSources)
        }
        guard !cSources.files.isEmpty else {
            throw BuildError(request.id, .noSources(folder: request.shownFolder))
        }
        return .c(cSources)
    }

    /// Refuses to replace a file that a person has named and that is not this module.
    ///
    /// `<id>.so` is the module's own name, whatever the file holds.
    private func checkOutput() throws(BuildError) {
        guard let status = try? FileStatus(path: request.output) else { return }
        let shown = request.shownOutput
        switch status.kind {
        case .directory: throw BuildError(request.id, .outputIsFolder(shown))
        case .file: break
        default: throw BuildError(request.id, .outputIsOther(shown))
        }
        let isReplaceable =
            !request.isOutputNamed || status.size == 0
            || Path.name(of: request.output) == request.id + ".so"
            || ModuleContent(request.output).note?.declaration.id == request.id
            || isBuiltFromFolder
        guard isReplaceable else { throw BuildError(request.id, .outputIsOther(shown)) }
    }

    /// Refuses to write where others could exchange what is written, before anything is.
    private func checkFolders() throws(BuildError) {
        do throws(PlaceError) {
            _ = try request.records.open()
        } catch {
            // A later step, which needs the folder, reports whatever else is wrong with it.
            if case .untrusted = error { throw BuildError(request.id, .place(error)) }
        }
    }

    /// Whether the output is a file that was built from the folder of the request.
    private var isBuiltFromFolder: Bool {
        let place = request.records
        guard let record = place.record, record.folder == place.name(ofFolder: request.folder)
        else {
            return false
        }
        return record.output.found(at: request.output) != nil
    }

    /// Updates the record of a file that was built from the same inputs.
    ///
    /// The note of a file names its inputs, too, but only the digest of the file in the record shows that
    /// it was not patched since.
    ///
    /// - Returns: Warnings if the record cannot be written; `nil` if the file has to be built.
    private func confirm(
        _ recipe: BuildRecipe, _ inputs: String, at now: Int64
    ) -> [Diagnostic]? {
        let place = request.records
        guard !request.isForced, let record = place.record, record.inputs == inputs,
            record.output.found(at: request.output) != nil
        else { return nil }
        let error = place.update { () -> BuildRecord? in
            // Another build may have written both meanwhile.
            guard let record = place.record, record.inputs == inputs,
                let output = record.output.found(at: request.output)
            else { return nil }
            var confirmed = recipe.record(inputs, output: output, at: now)
            // The record of an interface module names the module's own text as well.
            confirmed.texts = record.texts
            confirmed.packages = record.packages
            return confirmed
        }
        return error?.diagnostics ?? []
    }

    /// Checks what the compiler made, puts it into place, and records it.
    ///
    /// - Parameter isLast: Whether sources that changed meanwhile are an error.
    func finish(
        _ compilation: Compilation, _ ending: ChildEnding, output: String, isLast: Bool
    ) throws(BuildError) -> Ending {
        let now = WallClock.now
        // A source that was saved meanwhile may be why the compiler failed, so this comes first.
        if let file = try compilation.changedFile() {
            guard isLast else { return .again }
            throw BuildError(request.id, .unsteady(file: file))
        }
        switch ending {
        case .exited(0): break
        case .exited where compilation.isFetching:
            let manifest = Path.join(request.shownFolder, SourceKind.packageManifest)
            let reason = CompilerOutput(output).lastMessage
            throw BuildError(
                request.id, .dependency(.notFetched(manifest: manifest, reason: reason)))
        case .exited:
            let error = compilation.recipe.method.entryPoint?.error(in: output, of: request)
            throw error ?? CompilerAdvice(about: output, of: request, builder.lookup).error
                ?? evolutionError(of: compilation, output)
                ?? BuildError(request.id, .compilation)
        case .signalled, .unknown:
            let path = compilation.command.executable
            throw BuildError(request.id, .crash(path: path, ending: ending))
        }
        try compilation.check()
        let shared = compilation.processWideWarning
        // The old file of an interface module is compared with the new one, which takes its place after this.
        let replacement =
            if !compilation.recipe.isInterface { InterfaceReplacement?.none } else {
                try BuildError.about(
                    request.id, BuildCause.badBinary,
                    try InterfaceReplacement(of: request.output, by: compilation.file))
            }
        let error = try request.records.update { () throws(BuildError) in
            let output = try compilation.publish()
            compilation.keepInterface()
            var record = compilation.recipe.record(
                compilation.inputs, output: output, at: now, text: compilation.interface?.text)
            record.packages = compilation.scratch?.key
            return record
        }
        let warnings = [
            replacement?.warning(of: request.id, builder.lookup.usersElsewhere(of: request.id)),
            compilation.interface?.warning(about: request.id), shared,
        ]
        return .built(warnings: (error?.diagnostics ?? []) + warnings.compactMap(\.self))
    }

    /// The error of an interface module whose own sources compile, and whose packages do not: only an interface is
    /// compiled for library evolution, which no package has to allow.
    private func evolutionError(of compilation: Compilation, _ output: String) -> BuildError? {
        guard compilation.recipe.isInterface, case .package = compilation.recipe.method else {
            return nil
        }
        let places = CompilerOutput(output).errors.map(\.line).filter { $0.hasPrefix("/") }
        let folder = Files.resolved(request.folder) ?? request.folder
        // What SwiftPM has fetched lies in the folder, too.
        let isOwn = { (line: Substring) in
            line.hasPrefix(folder + "/") && !line.hasPrefix(folder + "/.build/")
        }
        guard let place = places.first, !places.contains(where: isOwn) else { return nil }
        let file = Path.relative(String(place.prefix { $0 != ":" }), to: request.base)
        return BuildError(request.id, .dependency(.noEvolution(file: file)))
    }

    /// How often the sources are looked at, if files of them disappear meanwhile: some editors remove a
    /// file to save it.
    private static let maximumLooks = 3

    /// The sources, their contents, and a time before any of them was read.
    ///
    /// - Parameter dependencies: The folders of packages elsewhere that the module is built from, too.
    private func read(
        with dependencies: [String] = []
    ) throws(BuildError) -> (SourceFiles, [SourceFiles.Content], Int64) {
        var look = 1
        while true {
            do throws(PlaceError) {
                let sources = try SourceFiles(
                    request.folder, dependencies: dependencies, checkedBy: request.trust)
                let now = WallClock.now
                return (sources, try sources.contents(), now)
            } catch {
                guard look < Self.maximumLooks, case .system(let cause) = error,
                    cause.errno.meansMissing
                else { throw BuildError(request.id, .source(error)) }
                look += 1
            }
        }
    }
}

/// Errors of the compiler and the linker that have a remedy which only Eaves knows.
struct CompilerAdvice {
    private let request: BuildRequest
    private let lookup: InterfaceLookup
    private let messages: [Substring]

    init(about output: String, of request: BuildRequest, _ lookup: InterfaceLookup) {
        self.request = request
        self.lookup = lookup
        messages = CompilerOutput(output).errors.map(\.message)
    }

    /// The error to report in the place of "does not compile"; `nil` if there is nothing to add.
    var error: BuildError? {
        for message in messages {
            if let problem = problem(message) {
                return BuildError(request.id, .dependency(problem))
            }
        }
        return nil
    }

    private func problem(_ message: Substring) -> DependencyProblem? {
        if let name = Self.quoted(message, between: "no such module '", and: "'") {
            return .noSuchModule(name: name, place(ofModule: name))
        }
        // Clang about an #include, and about a module map.
        if let header = Self.quoted(message, between: "'", and: "' file not found")
            ?? Self.quoted(message, between: "header '", and: "' not found")
        {
            let search = HeaderSearch()
            if let folder = search.folder(in: request.folder, ofHeader: header) {
                return .ownHeader(header, folder: folder)
            }
            return search.package(ofHeader: header).map { .hiddenHeader(header, package: $0) }
                ?? .missingHeader(header)
        }
        if let library = Self.quoted(message, between: "unable to find library -l", and: nil) {
            return .missingLibraries([library])
        }
        return nil
    }

    /// The text between two others; `nil` if the message does not begin so, or does not end so.
    private static func quoted(
        _ message: Substring, between start: String, and end: String?
    ) -> String? {
        guard message.hasPrefix(start) else { return nil }
        let rest = String(message.dropFirst(start.count))
        guard let end else { return rest }
        return rest.part(before: end).map(String.init)
    }

    /// Where the project has something of the name, next to the module.
    private func place(ofModule name: String) -> DependencyProblem.MissingModule {
        if name.hasPrefix("Eaves") { return .ofEaves }
        let interfaces = lookup.all(for: request).filter { $0.value.modules.contains(name) }
        if let id = interfaces.keys.min() { return place(ofInterface: id) }
        let folder = Path.parent(of: request.folder)
        for neighbour in Folder.names(in: folder) where !neighbour.hasPrefix(".") {
            let path = Path.join(Path.join(folder, neighbour), ModuleDeclaration.fileName)
            guard let bytes = try? Files.read(path, limit: 1 << 20),
                let node = try? JSONNode.parse(bytes), let id = node["id"]?.string,
                id != request.id
            else { continue }
            let module = node["module"]?.string ?? ModuleName.identifier(neighbour)
            guard module == name else { continue }
            return node["layer"]?.string == "interface"
                ? place(ofInterface: id) : .module(id: id)
        }
        return .unknown
    }

    private func place(ofInterface id: String) -> DependencyProblem.MissingModule {
        let owner = (try? request.declaration).flatMap {
            lookup.foreignOwner(ofInterface: id, for: $0, request)
        }
        return owner.map { .ownedInterface(id: id, $0) } ?? .interface(id: id)
    }
}
