// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesSystem
import EavesTrust

/// The steps after linking: the file is checked, and gets the output's name.
extension Compilation {
    /// The descriptor of the protocol `Module`, which only the host's interface has.
    private static let moduleProtocol = "$s14EavesInterface6ModuleMp"

    /// Checks that the linked file is a module that a host can call.
    func check() throws(BuildError) {
        try takeOrigin()
        let report = try BuildError.about(
            request.id, BuildCause.badBinary, try BinaryReport(of: file))
        if recipe.isInterface {
            guard !report.hasEntry else {
                throw BuildError(
                    request.id, .interfaces([.hasEntry(folder: request.shownFolder)]))
            }
        } else if !report.hasEntry {
            let folder = request.shownFolder
            throw BuildError(
                request.id,
                recipe.method.hasSwift
                    ? .entry(.undefined(folder: folder, type: ModuleName.type(of: request)))
                    : .entry(.undefinedInC(folder: folder)))
        }
        if case .swift = recipe.method { return try takeAuthorsName() }
        // The sources of others may have a note, or a copy of the interface, of their own.
        guard ModuleContent(file).tag?.inputs == inputs else {
            throw BuildError(request.id, .otherNote(folder: request.shownFolder))
        }
        guard !report.definedNames().contains(Self.moduleProtocol) else {
            throw BuildError(
                request.id, .dependency(.carriesInterface(folder: request.shownFolder)))
        }
        try checkInterfacesAreNotCarried(report)
    }

    /// Cuts the digest off the name that the file's types have for their module. Symbols keep it, and hold two generations
    /// apart; what the runtime prints, stores and looks up is the author's name, the same in each build.
    private func takeAuthorsName() throws(BuildError) {
        guard
            let place = try BuildError.about(
                request.id, BuildCause.badBinary,
                try ELFFile(file).swiftModules()[compile.abiName])
        else { return }
        try BuildError.about(
            request.id, request.unwritable,
            try OpenFile(changing: file).write([0], at: place + compile.moduleName.utf8.count))
    }

    /// Checks that no package in the file is one that an interface module brings.
    private func checkInterfacesAreNotCarried(_ report: BinaryReport) throws(BuildError) {
        for interface in recipe.interfaces where !interface.isLinked {
            // The module may add members to the interface's types, so that only what the file has, too, is a copy.
            let types = Set(
                interface.stamp.symbolPrefixes.flatMap(report.definedNames(startingWith:))
                    .filter { $0.hasSuffix("Mn") || $0.hasSuffix("Mp") })
            guard !types.isEmpty, let file = try? BinaryReport(of: interface.path),
                let copied = file.definedNames().first(where: types.contains)
            else { continue }
            let stamp = interface.stamp
            let module = zip(stamp.modules, stamp.symbolPrefixes).first { _, prefix in
                copied.hasPrefix(prefix)
            }
            throw BuildError(
                request.id,
                .dependency(
                    .carriesModule(
                        module?.0 ?? stamp.module, interface: interface.id,
                        folder: request.shownFolder)))
        }
    }

    /// The warning about definitions that the module cannot have to itself, with the author's lines; `nil` if it has none.
    var processWideWarning: Diagnostic? {
        let definitions = (try? ELFFile(file).processWideDefinitions()) ?? []
        // A process loads an interface once.
        guard !recipe.isInterface, !definitions.isEmpty else { return nil }
        let sources = ((try? recipe.sources.contents()) ?? []).filter(\.isSwift)
        let lines = sources.flatMap { source in
            source.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                .enumerated().map { number, line in
                    (
                        place: Path.join(request.shownFolder, source.name) + ":\(number + 1)",
                        text: String(decoding: line, as: UTF8.self)
                    )
                }
        }.filter { $0.text.includes("@retroactive") }
        var warning = Diagnostic(definitions) { definition in
            let names = definition.writtenNames
            return lines.first { !names.isEmpty && names.allSatisfy($0.text.includes) }?.place
        }
        warning.message = "\(request.id): \(warning.message)"
        return warning
    }

    /// Copies the file that another build program has written. Its own file stays where it expects it.
    private func takeOrigin() throws(BuildError) {
        guard let origin else { return }
        let bytes = try BuildError.about(
            request.id, BuildCause.unreadable,
            try Files.read(origin, limit: FileStatus.moduleSizeLimit))
        try BuildError.about(
            request.id, request.unwritable,
            try OpenFile(creating: file, mode: 0o644).write(bytes))
    }

    /// The first file that has changed since before the compiler read it; `nil` if none has.
    func changedFile() throws(BuildError) -> String? {
        let contents: [SourceFiles.Content]
        do throws(PlaceError) {
            let now = try SourceFiles(
                request.folder, dependencies: recipe.sources.dependencies,
                checkedBy: request.trust)
            let changed = Set(now.files).symmetricDifference(recipe.sources.files)
            if let name = changed.map(\.name).min() { return Path.join(request.shownFolder, name) }
            // A change within one tick of the file system's clock shows in the content alone.
            contents = try recipe.sources.contents()
        } catch {
            throw BuildError(request.id, .source(error))
        }
        return recipe.inputs(of: contents) == inputs ? nil : request.shownFolder
    }

    /// Renames the new file to the output's name. Returns the file as it is there.
    ///
    /// - Throws: If the file cannot be renamed, or others could write it.
    func publish() throws(BuildError) -> BuiltFile {
        do throws(SystemError) {
            let status = try FileStatus(path: file)
            // With some umasks, other users could write the file, and no host would load it.
            if status.isWritableByOthers {
                try Files.setMode(status.mode & ~FileStatus.writeBitsOfOthers, of: file)
            }
            let built = try BuiltFile(path: file)
            let inode = try FileStatus(path: file).inode
            try folder.publish(Path.name(of: file), as: Path.name(of: request.output))
            // Renaming changes a time of the file. Another process may have replaced it already.
            let published = try FileStatus(path: request.output)
            guard published.inode == inode else { return built }
            return BuiltFile(identity: BuildIdentity(published), sha256: built.sha256)
        } catch {
            throw BuildError(request.id, request.unwritable(error))
        }
    }
}
