// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
import EavesDiagnostics
@_spi(Generated) import EavesInterface
import EavesJSON
import EavesLoader
import EavesManifest
import EavesModules
import EavesProcess
import EavesRegistry
import EavesSystem
import Glibc

/// The module of a worker, in its process: the container that has its services, and those of the host as they are asked
/// for.
final class WorkerModule: InstanceProvider {
    private let request: WorkerRequest
    /// The descriptors of the files that the request names.
    private let files: [Int32]
    private let peer = Shared<CallPeer?>(nil)
    private let listeners: RemoteListeners
    private let registrar: StagedRegistrar
    private let container: Container
    private let outcome = Awaited<Result<WorkerReport, any Error>>()
    private let lifecycle = Shared<(any Lifecycle)?>(nil)

    /// - Parameter files: The descriptors that came with the request.
    init(_ request: WorkerRequest, _ files: [Int32]) {
        self.request = request
        self.files = Array(files.prefix(request.fileCount))
        listeners = RemoteListeners(
            peer, on: request.permissions.listen.isEmpty ? nil : files[request.fileCount])
        let members = (try? JSONNode.parse(Array(request.settings.utf8)))?.members ?? []
        let settings = Settings(
            members.map { JSON.Member(name: $0.name, value: $0.value.value) },
            directory: request.directory, places: request.settingPlaces)
        registrar = StagedRegistrar(module: request.id, settings: settings)
        let required = Set(request.requires)
        container = Container { [peer] wanted, container in
            guard wanted.arguments.isEmpty, required.contains(wanted.qualifiedService),
                let service = WireTables.service(wanted.qualifiedService)
            else { return false }
            let name = wanted.name
            try container.register { registrar in
                let place = SourcePlace(fileID: #fileID, line: #line)
                service.register(registrar, RegistrationOptions(name: name, place: place)) {
                    RemoteHandle(service.qualifiedName, named: name, over: peer)
                }
            }
            return true
        }
    }

    /// Loads the module and lets it register, on the calling thread.
    ///
    /// - Parameter wall: The rights that the system does not take from the process. The module is loaded if there are none, or
    ///   allowed.
    func begin(_ peer: CallPeer, behind wall: Result<[String], SystemError>) {
        self.peer.value = peer
        outcome.set(
            Result {
                let unenforced = try wall.get()
                guard unenforced.isEmpty || request.allowsUnenforced else {
                    return WorkerReport(unenforced: unenforced)
                }
                var report: WorkerReport
                do {
                    report = try register()
                } catch let error as LoadError {
                    throw Refusal(error.diagnostic(of: request.id).message)
                }
                report.unenforced = unenforced
                return report
            })
    }

    private func register() throws -> WorkerReport {
        let log: @Sendable (LogLevel, String) -> Void = { [peer = self.peer] level, text in
            peer.value?.channel.send(
                Message(.log, UInt64(level.rawValue), Array(text.utf8.prefix(Message.logLimit))))
        }
        let id = request.id
        try container.register(Logger.self) { _ in Logger(module: id, level: .debug, write: log) }
        try container.register((any Listeners).self) { [listeners] _ in listeners }
        var files = files.makeIterator()
        for interface in request.interfaces {
            guard let descriptor = files.next() else { break }
            let calls = interface.hasCalls ? files.next() : nil
            let file = PathHandle.ownPath(of: descriptor)
            CrashWatch.expect(
                interface.id, interface.id, from: file, isInterface: true, logEntry: "{")
            try Loader.openInterface(file)
            try WireTables.load(interface.id) { calls }
        }
        let file = PathHandle.ownPath(of: try files.next().orRefuse("the worker has no file"))
        CrashWatch.expect(id, request.path, from: file, logEntry: "{")
        request.resources?.announce()
        try Loader.open(file).register(in: registrar) { message in
            log(message.level, message.text)
        }
        let own = try registrar.lifecycle()
        lifecycle.value = own
        try registrar.commit(to: container)
        return WorkerReport(
            services: registrar.registrations.map { registration in
                WorkerReport.Service(
                    service: registration.request.qualifiedService,
                    name: registration.request.name, scope: registration.scope.name,
                    isNamedScope: registration.scope == .named(registration.scope.name),
                    file: registration.place.fileID, line: registration.place.line,
                    arguments: registration.request.arguments)
            },
            hasLifecycle: own != nil, keepsState: own is any StateHandover,
            hasDecorators: registrar.hasDecorators, hasReadSettings: registrar.hasReadSettings)
    }

    // MARK: Calls of the host

    func instance(
        of service: String, named name: String?
    ) async throws -> (target: WireTarget, requirements: Int) {
        if service == RemoteFeature.service, let name {
            return (try await feature(named: name), 1)
        }
        let known = try WireTables.service(service).orRefuse("the worker has no '\(service)'")
        return (try await known.resolve(container, name), known.requirements.count)
    }

    /// Creates a feature, whose one requirement is to be launched.
    private func feature(named name: String) async throws -> WireTarget {
        let feature: any Feature
        do {
            feature = try await container.resolveAsync((any Feature).self, name: name)
        } catch {
            // The host knows the feature's own error, and says what has failed.
            guard case .factoryFailed(let reason) = error.reason,
                error.wanted == ServiceRequest((any Feature).self, name: name)
            else { throw error }
            throw reason
        }
        return { [peer] _, arguments in
            let request = try arguments.read(LaunchRequest.self)
            guard let host = peer.value else { throw CancellationError() }
            return try .value(try await request.run(feature, calling: host).rawValue)
        }
    }

    func call(_ function: Int, _ arguments: WireReader) async throws -> WireAnswer {
        let report = try outcome.wait().get()
        let function = try WorkerFunction(rawValue: function)
            .orRefuse("the worker has no function \(function)")
        if function == .begin { return try .value(report) }
        guard let lifecycle = lifecycle.value else { return .nothing }
        let state = lifecycle as? any StateHandover
        let snapshot = function == .restore ? try arguments.read([UInt8].self) : []
        // The functions of a life cycle may block their thread.
        let result: (any Encodable & Sendable)? = try await DetachedThread.result { [container] in
            switch function {
            case .begin: break
            case .start: try lifecycle.start(container)
            case .stop: try lifecycle.stop()
            case .health: return try lifecycle.isHealthy
            case .snapshot: return try state?.snapshot() ?? []
            case .restore: try state?.restore(snapshot)
            }
            return nil
        }
        return try result.map { try .value($0) } ?? .nothing
    }
}

/// The program in the role of a worker: loads a module, lets it register, and calls its services for the host.
package enum WorkerProgram {
    static let channel: Int32 = 3
    private static let reports: Int32 = 4

    /// Becomes a worker, if the process was started as one. The thread has to be the main thread; a worker's process ends
    /// with the channel.
    package static func runIfRequested() {
        if WorkerRole.isRequested() { run() }
    }

    private static func run() -> Never {
        CrashWatch.leaveNothing()
        eaves_print_by_lines()
        // A program that the module starts has no part in them.
        for descriptor in [channel, reports] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        // The worker goes on where the reader of the host's output has ended.
        SignalHandler.letBrokenPipesFail()
        guard let (request, files) = WorkerRequest.receive(from: channel) else { exit(1) }
        if let memory = request.memory { limit(memory) }
        limitDescriptors()
        let wall = Result { () throws(SystemError) in
            try Wall.raise(
                request.rights, around: Array(files.prefix(request.fileCount)), decidedOn: channel)
        }
        CrashWatch.begin()
        CrashWatch.report(to: reports)
        do throws(SystemError) {
            try begin(request, files, behind: wall)
        } catch {
            _exit(1)
        }
        // Serves the main actor.
        eaves_serve_main_queue()
    }

    /// Loads the module on this thread, and lets others receive what the host asks of it.
    private static func begin(
        _ request: WorkerRequest, _ files: [Int32], behind wall: Result<[String], SystemError>
    ) throws(SystemError) {
        let module = WorkerModule(request, files)
        let peer = CallPeer(
            of: request.id, on: try MessageChannel(channel, trusting: true), providing: module)
        module.begin(peer, behind: wall)
        // One of them waits while the other one runs a call of the host.
        for _ in 0..<2 {
            try DetachedThread.start {
                // The host ends a channel that it does not understand, and has the reason.
                try? peer.receive()
                CrashWatch.expectExit()
                fflush(nil)
                _exit(0)
            }
        }
    }

    /// Leaves descriptors to the other processes of the user, of which the system lets no more be under way in sockets than the
    /// process that sends one may have.
    private static func limitDescriptors() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        // One message may carry 253, and go a little beyond the limit.
        limit.rlim_cur -= min(limit.rlim_cur / 2, 256)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Limits the memory that the process has for itself: its heap and its stacks. What is refused ends most programs.
    private static func limit(_ memory: UInt64) {
        var limit = rlimit(rlim_cur: rlim_t(memory), rlim_max: rlim_t(memory))
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    }
}
