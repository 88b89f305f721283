// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCompiler
package import EavesDeclaration
package import EavesSystem
package import EavesTrust

/// Asks for one module to be built from a folder into a file.
package struct BuildRequest: Hashable, Sendable {
    package var id: String
    /// The folder with `module.json` and the sources. Absolute.
    package var folder: String
    /// The `.so` to write. Absolute.
    package var output: String
    /// `nil` to keep the configuration of the last build, or debug if there was none.
    package var configuration: BuildConfiguration?
    /// The folder that paths in messages are relative to. Absolute.
    package var base: String
    /// The rule for who may change what the module is built from.
    package var trust = TrustCheck.own
    /// Whether a person has named the output: another file there is not replaced.
    package var isOutputNamed = false
    /// Whether to compile the module even if it is up to date.
    package var isForced = false

    package init(
        id: String, folder: String, output: String, configuration: BuildConfiguration? = nil,
        base: String = Path.current
    ) {
        self.id = id
        self.folder = folder
        self.output = output
        self.configuration = configuration
        self.base = base
    }

    /// The words for ``BuildEvent/waiting(_:for:)``.
    package func waiting(for holder: LockHolder?) -> String {
        "\(id) is being compiled by \(holder?.words ?? "another process"), and this one waits"
    }

    /// A request for a folder anywhere on disk. Reads the id from its `module.json`.
    ///
    /// - Parameters:
    ///   - folder: Absolute, or relative to `base`.
    ///   - output: A file, or an existing folder, which then gets `<id>.so`. `nil` to write `<id>.so` next to `folder`.
    ///   - trust: The rule for who may change the folder.
    /// - Throws: If there is no such folder, if its `module.json` is missing or not valid, or if others can change it.
    package init(
        folder: String, output: String? = nil, configuration: BuildConfiguration? = nil,
        base: String = Path.current, trust: TrustCheck = .own
    ) throws(BuildError) {
        let absolute = Path.absolute(folder, from: base)
        let shown = Path.relative(absolute, to: base)
        let id = try Self.source(in: absolute, shown: shown, trust).declaration.id
        self.init(
            id: id, folder: absolute,
            output: Path.join(Path.parent(of: absolute), "\(id).so"),
            configuration: configuration, base: base)
        self.trust = trust
        if let output { try write(to: output) }
    }

    /// A request for a module whose sources are not next to its file: the record of the file names the
    /// folder that it was built from.
    ///
    /// - Parameter output: The module's file. Absolute.
    /// - Returns: `nil` if there is no record, or the folder is gone: sources need not stay.
    package init?(
        recordedFor id: String, output: String, configuration: BuildConfiguration?
    ) {
        let place = RecordPlace(of: output)
        guard let name = place.folderName else { return nil }
        let folder = place.path(ofFolder: name)
        guard (try? FileStatus(path: folder))?.kind == .directory else { return nil }
        self.init(id: id, folder: folder, output: output, configuration: configuration)
    }

    /// Names another output.
    ///
    /// - Parameter path: A file, or an existing folder, which then gets `<id>.so`; absolute, or relative to ``base``.
    /// - Throws: If the path ends with a slash, and there is no such folder.
    package mutating func write(to path: String) throws(BuildError) {
        let target = Path.absolute(path, from: base)
        let isFolder = (try? FileStatus(path: target))?.kind == .directory
        guard isFolder || path.utf8.last != UInt8(ascii: "/") else {
            throw BuildError(id, .noOutputFolder(path))
        }
        output = isFolder ? Path.join(target, "\(id).so") : target
        isOutputNamed = true
    }

    /// Whether a folder is the one to build, under whatever name.
    package func isFor(folder other: String) -> Bool {
        guard let one = try? FileStatus(path: folder), let two = try? FileStatus(path: other) else {
            return false
        }
        return one.node == two.node
    }

    package var shownFolder: String { Path.relative(folder, to: base) }
    var shownOutput: String { Path.relative(output, to: base) }
    /// The error for the output. It names the output instead of the private folder, which means nothing to people.
    func unwritable(_ error: SystemError) -> BuildCause {
        .unwritable(SystemError(.create, shownOutput, error.errno))
    }

    /// The place of the output's record, which says from what it was built.
    var records: RecordPlace { RecordPlace(of: output, trust) }

    /// Reads the folder's `module.json`.
    func source() throws(BuildError) -> SourceDeclaration {
        try Self.source(in: folder, shown: shownFolder, trust)
    }

    package var declaration: ModuleDeclaration {
        get throws(BuildError) { try source().declaration }
    }

    /// The first error of who can change the folder or a source in it; `nil` also if there is another
    /// problem with them, which a build reports.
    package var trustError: TrustError? {
        do throws(PlaceError) {
            _ = try SourceFiles(folder, checkedBy: trust)
            return nil
        } catch {
            if case .untrusted(let error) = error { return error }
            return nil
        }
    }

    private static func source(
        in folder: String, shown: String, _ trust: TrustCheck
    ) throws(BuildError) -> SourceDeclaration {
        guard let status = try? FileStatus(path: folder) else {
            throw BuildError(shown, .noFolder)
        }
        guard status.kind == .directory else { throw BuildError(shown, .notAFolder) }
        let path = Path.join(folder, ModuleDeclaration.fileName)
        guard (try? FileStatus(path: path)) != nil else {
            throw BuildError(shown, .noDeclaration)
        }
        let name = Path.join(shown, ModuleDeclaration.fileName)
        let bytes = try BuildError.about(
            shown,
            { (error: PlaceError) in
                guard case .system(let reason) = error else { return .source(error) }
                let problem = DeclarationProblem(.unreadable(reason))
                return .declaration(DeclarationError(path: name, problems: [problem]))
            }, try SourceFiles.bytes(of: path, checkedBy: trust))
        return try BuildError.about(
            shown, BuildCause.declaration, try SourceDeclaration(bytes, path: name))
    }
}
