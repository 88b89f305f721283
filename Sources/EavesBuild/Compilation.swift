// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesCatalog
import EavesSystem

/// One module on its way through the compiler.
struct Compilation {
    let recipe: BuildRecipe
    /// The digest of what the compiler is given.
    let inputs: String
    let command: ChildCommand
    private let moduleName: String
    private let folder: WorkFolder
    /// What the compiler writes.
    private let file: String

    init(_ recipe: BuildRecipe, _ inputs: String, usesColor: Bool) throws(BuildError) {
        self.recipe = recipe
        self.inputs = inputs
        moduleName = try ModuleName.of(recipe.request, compiler: recipe.tools.compiler)
        let linkerOptions: String
        do throws(SystemError) {
            folder = try WorkFolder(beside: recipe.request.output)
            linkerOptions = Path.join(folder.path, "linker.cfg")
            try OpenFile(creating: linkerOptions, mode: 0o600)
                .write(CompileCommand.linkerOptions.utf8)
        } catch {
            throw Self.unwritable(error, recipe.request)
        }
        file = Path.join(folder.path, "module.so")
        let compile = CompileCommand(
            sdk: recipe.tools.sdk, toolchain: recipe.tools.toolchain,
            configuration: recipe.configuration, moduleName: moduleName,
            note: recipe.note(inputs), sources: recipe.sources.swiftPaths, usesColor: usesColor)
        command = compile.command(
            output: file, linkerOptions: linkerOptions, temporaryFolder: folder.path)
    }

    private var request: BuildRequest { recipe.request }

    /// Checks that what was linked is a module that a host can call.
    func check() throws(BuildError) {
        let hasEntry: Bool
        do throws(ELFError) {
            hasEntry = try BuiltModule.hasEntry(file)
        } catch {
            throw BuildError(request.id, .badBinary(error))
        }
        guard hasEntry else {
            throw BuildError(
                request.id, .noEntry(folder: request.shownFolder, moduleName: moduleName))
        }
    }

    /// The first file that is not what it was before the compiler saw it; `nil` if all are.
    func changedFile() throws(BuildError) -> String? {
        do throws(SystemError) {
            let now = try SourceFiles(request.folder)
            let changed = Set(now.files).symmetricDifference(recipe.sources.files)
            if let name = changed.map(\.name).min() { return Path.join(request.shownFolder, name) }
        } catch {
            throw BuildError(request.id, .unreadable(error))
        }
        // A change within one tick of the file system shows in the content alone.
        return try recipe.inputs() == inputs ? nil : request.shownFolder
    }

    /// Puts the new file in the output's place, as one step, and gives what tells it from others.
    func publish() throws(BuildError) -> FileStamp {
        do throws(SystemError) {
            let status = try FileStatus(path: file)
            // With some umasks others could write it, and no host would load it.
            if status.mode & 0o022 != 0 { try Files.setMode(status.mode & ~0o022, of: file) }
            let stamp = FileStamp(try FileStatus(path: file))
            try Files.rename(file, to: request.output)
            return stamp
        } catch {
            throw Self.unwritable(error, request)
        }
    }

    /// The private folder means nothing to anybody: it is the output that cannot be made.
    private static func unwritable(_ error: SystemError, _ request: BuildRequest) -> BuildError {
        let shown = SystemError(.create, request.shownOutput, error.errno)
        return BuildError(request.id, .unwritable(shown))
    }
}
