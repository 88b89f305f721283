// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDiagnostics
package import EavesLoader
package import EavesRegistry

/// The seam by which a host runs modules in processes of their own. A program without isolated modules leaves it out, and
/// does not compile what stands behind it.
package protocol ModuleIsolation: Sendable {
    /// Starts processes for modules that will be loaded soon.
    func prepare(_ modules: [CatalogEntry])

    /// Ends those of the prepared processes that no module has taken.
    func endUnused(of modules: [String])

    /// Starts the process of a module, and registers factories of proxies for what the module registers there.
    func register(
        _ copy: PrivateCopy, of entry: CatalogEntry, by maker: GenerationMaker,
        in registrar: StagedRegistrar
    ) throws
}

/// The role of a process that a host has started for an isolated module: the program itself, started again.
package enum WorkerRole {
    /// The argument that makes the program a worker.
    package static let word = "module-worker"

    /// Whether a process with these arguments was started as a worker.
    package static func isRequested(by arguments: [String] = CommandLine.arguments) -> Bool {
        arguments.count == 2 && arguments[1] == word
    }
}

/// A program that was started as a worker makes a host: it has not become one, and would do all of its work twice.
package struct NoRoleError: Error, Diagnosable {
    package init() {}

    package var diagnostic: Diagnostic {
        Diagnostic(
            "this process was started for an isolated module, and the program goes its usual way in it",
            fix: "let the program call 'Host.begin(as: [.worker])' first in its 'main'",
            code: .configuration)
    }
}

/// The manifest isolates a module, and the host has no isolation.
struct NoIsolationError: Error, Diagnosable {
    var diagnostic: Diagnostic {
        Diagnostic(
            "the manifest runs it in a process of its own, and this program starts none for modules",
            fix: "let the program depend on the product 'EavesIsolation', and create the host with "
                + "'isolation: .processes'", code: .configuration)
    }
}
