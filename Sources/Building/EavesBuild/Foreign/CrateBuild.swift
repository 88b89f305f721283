// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCompiler
import EavesDeclaration
import EavesJSON
import EavesProcess
import EavesSystem

/// A module that is a Rust crate: Cargo builds its `cdylib`, and the linker writes the note.
///
/// Cargo compiles into `.build/eaves` of the crate's folder, where it finds again what has not changed.
struct CrateBuild: Hashable, Sendable {
    let folder: String
    /// The folders of crates on this machine that it depends on, directly or not, relative to ``folder``. Sorted.
    let dependencies: [String]
    /// The package that Cargo is asked for: the folder can be a workspace, too.
    private let package: String
    private let library: String
    private let cargo: String
    private let clang: String
    var scratch: String

    /// Asks Cargo what the crate has. Cargo runs no code of it for that, and writes `Cargo.lock`.
    ///
    /// - Throws: If Cargo is not installed, `Cargo.toml` is not valid, or the crate has no `cdylib`.
    init(_ request: BuildRequest, _ tools: BuildTools) throws(BuildError) {
        folder = request.folder
        scratch = Path.join(folder, ".build/eaves")
        cargo = try tools.tool(["cargo"], .noCargo, for: request.id)
        clang = try tools.clang(for: request.id)
        let manifest = Path.join(folder, SourceKind.crateManifest)
        let shown = Path.relative(manifest, to: request.base)
        var command = ChildCommand(
            cargo, ["metadata", "--quiet", "--format-version", "1", "--manifest-path", manifest],
            environment: tools.toolchain.environment)
        command.folder = folder
        let root: JSONNode
        do throws(BuildError) {
            root = try tools.description(by: "Cargo", command, for: request.id, shown: shown)
        } catch {
            // Alone, without what it depends on, the manifest may be valid.
            command.arguments.append("--no-deps")
            guard case .dependency(.badManifest(_, let reason)) = error.cause,
                (try? tools.description(by: "Cargo", command, for: request.id, shown: shown))
                    != nil
            else { throw error }
            throw BuildError(
                request.id, .dependency(.cratesNotFetched(manifest: shown, reason: reason)))
        }
        let packages = root["packages"]?.elements ?? []
        let resolved = Files.resolved(manifest) ?? manifest
        let own = packages.first { package in
            package["manifest_path"]?.string.map { Files.resolved($0) ?? $0 } == resolved
        }
        let target = own?["targets"]?.elements?.first { target in
            target["crate_types"]?.elements?.contains { $0.string == "cdylib" } == true
        }
        guard let package = own?["name"]?.string, let name = target?["name"]?.string else {
            throw BuildError(request.id, .dependency(.noCrate(manifest: shown)))
        }
        self.package = package
        library = name
        // A crate without a source comes from this machine.
        let here = Files.resolved(folder) ?? folder
        dependencies = packages.filter { $0["source"]?.string == nil }
            .compactMap { $0["manifest_path"]?.string }
            .map { Path.climb(from: here, to: Path.parent(of: Files.resolved($0) ?? $0)) }
            .filter { $0 != "." }.sorted()
    }

    /// The options of Cargo that make a difference to the module.
    static func flags(_ configuration: BuildConfiguration) -> [String] {
        ["cargo rustc", configuration.rawValue, "--lib", "-fuse-ld=lld"]
            + (configuration == .release ? ["--remap-path-prefix"] : [])
    }

    func output(_ configuration: BuildConfiguration) -> String {
        let file = "lib" + library.map { $0 == "-" ? "_" : $0 } + ".so"
        return Path.join(Path.join(scratch, configuration.rawValue), file)
    }

    func command(recipe: BuildRecipe, note: ModuleNote, usesColor: Bool) -> ChildCommand {
        var command = ChildCommand(
            cargo,
            ["rustc", "--quiet", "--lib", "--package", package]
                + (recipe.configuration == .release ? ["--release"] : [])
                + [
                    "--color", usesColor ? "always" : "never",
                    "--manifest-path", Path.join(folder, SourceKind.crateManifest),
                    "--target-dir", scratch, "--", "-C", "linker=\(clang)",
                    "-C", "link-arg=-fuse-ld=lld",
                    "-C", "link-arg=-Wl,-Bsymbolic",
                    "-C", "link-arg=-Wl,\(CompileCommand.metadata(note))",
                ]
                + (recipe.configuration == .release
                    ? ["--remap-path-prefix", "\(Path.parent(of: folder))=."] : []),
            environment: recipe.tools.toolchain.environment)
        // Cargo takes settings from the folder that it starts in, and from those above.
        command.folder = folder
        return command
    }
}
