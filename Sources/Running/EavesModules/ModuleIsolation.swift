// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
package import EavesDiagnostics
package import EavesLife
package import EavesLoader
package import EavesRegistry
import Synchronization

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

extension GenerationMaker {
    /// Keeps the copy, from which each generation is another process.
    func isolate(_ module: CheckedModule) throws -> LoadedCode {
        guard isolation != nil else { throw NoIsolationError() }
        module.copy.keep()
        observers.tell(.loading(module.entry))
        return LoadedCode(
            nil, of: module.entry, from: module.copy, signedBy: module.signature)
    }

    func registerIsolated(
        _ copy: PrivateCopy, of entry: CatalogEntry, in registrar: StagedRegistrar
    ) throws {
        guard let isolation else { throw NoIsolationError() }
        try isolation.register(copy, of: entry, by: self, in: registrar)
    }
}

extension LazyLoader {
    /// Starts the processes of a plan's isolated modules, while the first of its modules are loaded.
    package func prepareWorkers(for plan: Plan) {
        loader.isolation?.prepare(
            plan.modules.filter { entry in
                entry.isIsolated && entry.problem == nil
                    && !loader.running[module: entry.id].isLoaded
            })
    }

    package func endSpareWorkers(of plan: Plan) {
        loader.isolation?.endUnused(of: plan.modules.map(\.id))
    }
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

/// The private copies of modules that a process loads when it may open no file any more, checked while it still could.
///
/// Safe from any thread.
package final class PreparedCopies: Sendable {
    private let checked = Mutex<[CatalogEntry: CheckedModule]>([:])

    func add(_ module: CheckedModule) { checked.withLock { $0[module.entry] = module } }

    /// Hands the copy of a module to its first caller.
    func take(_ entry: CatalogEntry) -> CheckedModule? {
        checked.withLock { $0.isEmpty ? nil : $0.removeValue(forKey: entry) }
    }
}

extension LazyLoader {
    /// Makes and checks the private copies of everything that a module needs, directly or through others: the process can
    /// load it then without opening a file.
    ///
    /// - Returns: The copies. One that cannot be made is missing, and loading its module says why.
    package func prepareNeeds(of entry: CatalogEntry) -> [PrivateCopy] {
        let maker = loader.maker(outlook)
        return needs(of: entry).compactMap { module in
            guard let checked = try? maker.check(module) else { return nil }
            loader.prepared.add(checked)
            return checked.copy
        }
    }

    /// The modules that one needs by its declaration, and the interfaces of all of them.
    private func needs(of entry: CatalogEntry) -> [CatalogEntry] {
        let all = catalog.needs(of: entry).modules
        return catalog.interfaces(of: all) + all.dropLast()
    }
}
