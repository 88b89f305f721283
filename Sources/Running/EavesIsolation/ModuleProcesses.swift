// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
public import EavesHost
@_spi(Generated) import EavesInterface
import EavesJSON
import EavesLife
package import EavesLoader
import EavesManifest
package import EavesModules
import EavesQuarantine
package import EavesRegistry
import EavesSystem
import EavesTrust
import Glibc
import Synchronization

/// The isolation of one host: each isolated module runs in a process of its own, a ``Worker``.
///
/// Safe from any thread.
package final class ModuleProcesses: ModuleIsolation {
    private let spares = Mutex<[String: SpareWorker]>([:])

    /// The time in which a process starts and registers, if the host has no limit for first runs.
    private static let startLimit = Duration.seconds(60)

    package init() {}

    /// Starts a process for each module. A module without one starts its own when it is loaded.
    package func prepare(_ modules: [CatalogEntry]) {
        for entry in modules {
            guard let spare = try? SpareWorker(entry.permissions) else { continue }
            spares.withLock { $0[entry.id] = spare }
        }
    }

    package func endUnused(of modules: [String]) {
        spares.withLock { for module in modules { $0[module] = nil } }
    }

    package func register(
        _ copy: PrivateCopy, of entry: CatalogEntry, by maker: GenerationMaker,
        in registrar: StagedRegistrar
    ) throws {
        guard let declaration = entry.declaration else {
            throw UnusableModuleError(entry: entry)
        }
        let manifest = maker.manifest
        var files: [Int32] = []
        var needed: [WorkerRequest.Interface] = []
        for interface in maker.outlook.catalog.interfaces(of: [entry]) {
            guard let module = interface.declaration?.interface?.module,
                let loaded = InterfaceLoader.copy(of: module)
            else { throw UnusableModuleError(entry: interface) }
            let calls = try WireTables.load(interface.id, from: loaded.ownPath)
            files += [loaded.descriptor] + (calls.map { [$0] } ?? [])
            needed.append(WorkerRequest.Interface(id: interface.id, hasCalls: calls != nil))
        }
        files.append(copy.descriptor)
        let worker = try Worker(
            WorkerRequest(
                id: entry.id, path: entry.path, interfaces: needed,
                requires: declaration.requires,
                settings: JSON.object(entry.settings).text(pretty: false),
                settingPlaces: manifest.settingPlaces(of: entry.id),
                directory: manifest.directory, memory: entry.limits.memory,
                resources: try ResourceFolder(of: copy, in: manifest.store),
                permissions: entry.permissions,
                allowsUnenforced: manifest.choices.allowsUnenforced),
            WorkerFiles(descriptors: files, copy: copy), limits: entry.limits, pauses: maker.pauses,
            telling: WorkerObserver(
                entry: entry, digest: copy.digest, account: registrar.account,
                observers: maker.observers, store: manifest.store))
        do {
            let report = try worker.start(
                within: maker.limit ?? Self.startLimit,
                in: spares.withLock { $0.removeValue(forKey: entry.id) })
            for words in report.unenforced {
                maker.observers.warn(
                    Diagnostic(
                        "\(entry.id): runs although the system does not take all other rights from it: \(words) "
                            + "(\(entry.path))",
                        fix: "run it where the system does, and without '--allow-unenforced'",
                        code: .configuration))
            }
            try register(report, of: entry, from: worker, in: registrar)
        } catch {
            worker.end()
            throw error
        }
    }

    private func register(
        _ report: WorkerReport, of entry: CatalogEntry, from worker: Worker,
        in registrar: StagedRegistrar
    ) throws {
        // Counts as reading them.
        if report.hasReadSettings { _ = registrar.settings }
        if report.hasDecorators { throw IsolationError.decorates }
        for one in report.services {
            let name = ServiceName.word(one.service)
            guard one.arguments.isEmpty else { throw IsolationError.takesArguments(name) }
            let scopes: [Scope] = one.isNamedScope ? [] : [.transient, .shared, .graph, .weak]
            guard let scope = scopes.first(where: { $0.name == one.scope }) else {
                throw IsolationError.namedScope(name, one.scope)
            }
            let options = RegistrationOptions(
                name: one.name, scope: scope,
                place: SourcePlace(fileID: one.file, line: one.line))
            guard worker.register(one.service, options, in: registrar) else {
                throw IsolationError.unknownService(name)
            }
        }
        registrar.lifecycle(WorkerLifecycle.of(worker, report))
    }
}

/// Tells of a worker's work, on its thread.
struct WorkerObserver: Sendable {
    let entry: CatalogEntry
    let digest: SHA256Digest
    /// The account that gets a crash while the module is judged; `nil` for none.
    let account: CallAccount?
    let observers: HostObservers
    let store: Store

    func log(_ level: LogLevel, _ text: String) {
        observers.log(entry.id, LogMessage(level: level, text: text))
    }

    /// Notes the end of one process by a mistake of its own, before its calls fail.
    ///
    /// - Parameters:
    ///   - time: The time that it has run.
    ///   - endsLaunch: Whether a launch ends with it.
    func noteCrash(
        _ error: RemoteCallError, of process: Int32, after time: Duration, endsLaunch: Bool
    ) {
        account?.noteCrash("its process \(error.shortReason)")
        guard let cause = error.cause(endsLaunch: endsLaunch) else { return }
        let crash = ModuleCrash(
            time: WallClock.second, cause: cause, process: Int(process),
            uptime: Int(time.components.seconds))
        do throws(QuarantineError) {
            try QuarantineStore(store).note(crash, of: entry.suspect, sha256: digest.hex)
        } catch {
            error.diagnostics.forEach(observers.warn)
        }
    }

    /// Tells of the end of one process, after which another one is started. If a launch has ended with it, the launch's message
    /// says so.
    func tellEnd(_ error: RemoteCallError, endsLaunch: Bool) {
        let (id, path) = (entry.id, entry.path)
        if !endsLaunch {
            observers.warn(
                Diagnostic(
                    "\(id): its process \(error.shortReason), and is started again (\(path))",
                    fix: "mend what is named, or ask the module's author", code: .crashed))
        }
        observers.tell(.crashed(HostEvent.Crash(module: id, path: path, reason: error.shortReason)))
    }
}

extension RemoteCallError {
    /// The words of the quarantine for a crash; `nil` for a feature that has ended its program, as it may in the host.
    fileprivate func cause(endsLaunch: Bool) -> ModuleCrash.Cause? {
        switch reason {
        case .exited(let code): endsLaunch ? nil : .exit(code)
        case .killed(let signal): .signal(signal)
        // The host has ended it, or its end was lost.
        default: .signal(SIGKILL)
        }
    }

    /// The reason without its subject, the process of the module.
    fileprivate var shortReason: String {
        let subject = "the process of module '\(module)' "
        return String(description.dropFirst(description.hasPrefix(subject) ? subject.count : 0))
    }
}

/// A module registers in its process what no other process can have.
enum IsolationError: Error, Hashable, Sendable {
    case decorates
    case takesArguments(String)
    case namedScope(String, String)
    case unknownService(String)
}

extension IsolationError: Diagnosable {
    var diagnostic: Diagnostic {
        let what =
            switch self {
            case .decorates: "decorates services of others"
            case .takesArguments(let service):
                "registers \(service) with arguments, which its factory would get in another process"
            case .namedScope(let service, let scope):
                "registers \(service) in the scope '\(scope)', which the host resets and another process "
                    + "does not"
            case .unknownService(let service):
                "registers \(service), whose calls cannot go to another process"
            }
        return Diagnostic(
            "cannot run in a process of its own: it \(what)",
            fix: "remove the module's 'isolation' from the manifest", code: .configuration)
    }
}

extension WorkerError: DiagnosableList {
    var diagnostics: [Diagnostic] {
        let (message, fix, code): (String, String, FailureCode)
        switch self {
        case .system(let error): return error.diagnostics
        case .unenforced(let words):
            return words.map { words in
                Diagnostic(
                    "the system does not take all other rights from its process: \(words)",
                    fix: "run it where the system does; or accept that with '--allow-unenforced'",
                    code: .configuration)
            }
        case .died(let error):
            message = "its process ended before it had registered: \(error)"
            (fix, code) = ("correct what is named, or ask the module's author", .crashed)
        case .refused(let reason):
            message = "does not load or register in a process of its own: \(reason.indented)"
            (fix, code) = ("correct what is named, or ask the module's author", .badData)
        case .late(let limit):
            message = "did not register in its process within \(limit)"
            fix =
                "let the program call 'Host.begin(as: [.worker])' first in its 'main'; if it does, ask the "
                + "module's author"
            code = .crashed
        }
        return [Diagnostic(message, fix: fix, code: code)]
    }
}

extension Host.Isolation {
    /// Each module that the manifest isolates runs in a process of its own: the program itself, started again. So its `main`
    /// begins with `Host.begin(as: [.worker])`.
    public static let processes = Host.Isolation { ModuleProcesses() }
}

extension Host.Role {
    /// The process in which a module runs that the manifest isolates, for programs whose modules may be isolated.
    public static var worker: Host.Role {
        Host.Role { () throws(HostError) in WorkerProgram.runIfRequested() }
    }
}
