// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesManifest
import EavesProcess
import EavesSystem
import Glibc
import Synchronization

/// One process for several modules, as its host sees it. Each module in it has a channel of its own; the first one gets
/// that of the process, and the others come by a socket, the *door*.
///
///     starting → open → (the last module leaves, or the process ends) → over
///
/// One thread starts the process and waits for its end: the system ends a process with the thread that has started it.
///
/// Safe from any thread.
final class SharedProcess: Sendable {
    /// The things that a process is started with. All modules in it have the same.
    struct Rights: Hashable, Sendable {
        let permissions: Permissions
        let memory: UInt64?
        let processes: Int
        let allowsUnenforced: Bool
    }

    let rights: Rights
    private let started = Awaited<Result<Started, SystemError>>()
    private let ended = Awaited<ProcessEnding>()
    /// Is set when the last module has left.
    private let abandoned = Awaited<Void>()
    private let state: Mutex<State>

    private struct Started: Sendable {
        let program: StartedProgram
        let channel: Int32
    }

    private struct State {
        /// The modules that the process has or has had, and their files. It never gets another file of one of them.
        var modules: [String: WorkerFiles] = [:]
        /// How many of them are in it.
        var present = 0
        var isOver = false
        /// The host's end of the door, and the other one until the first module takes it there; -1 once it is closed.
        var door: Int32
        var otherEnd: Int32

        /// Lets no module in any more. A process without modules ends then.
        mutating func end() {
            isOver = true
            for descriptor in [door, otherEnd] where descriptor >= 0 { close(descriptor) }
            (door, otherEnd) = (-1, -1)
        }
    }

    /// Begins to start the process.
    ///
    /// - Throws: `SystemError` if no descriptor or thread is left.
    init(_ rights: Rights) throws(SystemError) {
        self.rights = rights
        let ends = try LocalSocket.pair().descriptors()
        state = Mutex(State(door: ends.own, otherEnd: ends.other))
        try DetachedThread.start { self.run() }
    }

    deinit { state.withLock { $0.end() } }

    private func run() {
        let program: StartedProgram
        do throws(SystemError) {
            program = try StartedProgram(rights.permissions)
            guard program.handle >= 0 else {
                let error = SystemError(.open, "a process that modules share")
                _ = program.ending()
                throw error
            }
        } catch {
            state.withLock { $0.end() }
            return started.set(.failure(error))
        }
        started.set(.success(Started(program: program, channel: program.takeChannel())))
        program.awaitEnd()
        program.files = state.withLock { state in
            state.end()
            return state.modules
        }
        ended.set(program.ending())
    }

    /// Whether it lets no module in any more.
    var isOver: Bool { state.withLock { $0.isOver } }

    // MARK: Modules

    /// Lets a module in, unless the process has had it already, or is over.
    ///
    /// - Returns: Whether it is the first one; `nil` if it is not let in.
    func admit(_ module: String, _ files: WorkerFiles) -> Bool? {
        state.withLock { state in
            guard !state.isOver, state.modules[module] == nil else { return nil }
            state.modules[module] = files
            state.present += 1
            return state.modules.count == 1
        }
    }

    /// The way in for a module that was let in. Blocks the thread until the process is started.
    func entrance(isFirst: Bool) throws(SystemError) -> WorkerEntrance {
        let process = try started.wait().get()
        let (identifier, handle) = (process.program.child.identifier, process.program.handle)
        if isFirst {
            let end = state.withLock { state in
                defer { state.otherEnd = -1 }
                return state.otherEnd
            }
            return WorkerEntrance(
                process: identifier, handle: handle, channel: process.channel, door: nil,
                carrying: end, home: self)
        }
        let door = state.withLock { fcntl($0.door, F_DUPFD_CLOEXEC, 0) }
        guard door >= 0 else { throw SystemError(.open, "a process that modules share") }
        guard let sockets = SocketPair() else {
            close(door)
            throw SystemError(.open, "a channel")
        }
        return WorkerEntrance(
            process: identifier, handle: handle, channel: sockets.ours, door: door,
            carrying: sockets.theirs, home: self)
    }

    /// Ends the process if no module has ever been in it.
    func endUnused() {
        let isUnused = state.withLock { state in
            guard state.modules.isEmpty else { return false }
            state.end()
            return true
        }
        if isUnused, case .success(let process) = started.wait() { close(process.channel) }
    }
}

extension SharedProcess: WorkerHome {
    var isShared: Bool { true }

    /// The process ends with the last module.
    func leave() {
        guard leaves(), case .success(let process) = started.wait() else { return }
        StartedProgram.letEnd(process.program.handle)
    }

    func end() -> ProcessEnding {
        // Its channel was open, so it was started.
        if case .success(let process) = started.wait() {
            StartedProgram.letEnd(process.program.handle)
        }
        return ended.wait()
    }

    func awaitOthers() {
        if !leaves() { _ = abandoned.wait(within: Self.patience) }
    }

    /// - Returns: Whether no module is left.
    private func leaves() -> Bool {
        let isLast = state.withLock { state in
            state.present -= 1
            if state.present == 0 { state.end() }
            return state.present == 0
        }
        if isLast { abandoned.set(()) }
        return isLast
    }

    /// How long a module waits for the others to know of the end. They find out at the same time.
    private static let patience = Duration.seconds(1)
}

/// The processes that modules share, by the names that the manifest gives them.
///
/// A module goes into the newest process of its name. If that one has had the module already, with an older file or before
/// a change of its settings, the module goes into a new one, and the others follow when they change. So each process of a
/// name has the newest file of some module, or objects that are still in use.
///
/// Safe from any thread.
package final class SharedProcesses: Sendable {
    /// Those that may let modules in, oldest first.
    private let open = Mutex<[String: [SharedProcess]]>([:])

    package init() {}

    /// Starts a process for modules that will come soon, unless there is one. Without it, the first of them starts it.
    package func prepare(
        _ name: String, _ permissions: Permissions, _ limits: IsolationLimits,
        allowsUnenforced: Bool
    ) {
        guard !WorkerProgram.isRequested else { return }
        let rights = SharedProcess.Rights(
            permissions: permissions, memory: limits.memory, processes: limits.processes,
            allowsUnenforced: allowsUnenforced)
        open.withLock { open in
            guard Self.newest(name, &open) == nil, let process = try? SharedProcess(rights) else {
                return
            }
            open[name, default: []].append(process)
        }
    }

    /// Ends those that no module has come to.
    package func endUnused() {
        for process in open.withLock({ $0.values.flatMap { $0 } }) { process.endUnused() }
    }

    /// Lets a module into the process of a name. Blocks the thread until the process is started.
    func enter(
        _ name: String, _ request: WorkerRequest, _ files: WorkerFiles, processes: Int
    ) throws(SystemError) -> WorkerEntrance {
        let rights = SharedProcess.Rights(
            permissions: request.permissions, memory: request.memory, processes: processes,
            allowsUnenforced: request.allowsUnenforced)
        let (process, isFirst) = try open.withLock { open throws(SystemError) in
            if let process = Self.newest(name, &open), process.rights == rights,
                let isFirst = process.admit(request.id, files)
            {
                return (process, isFirst)
            }
            let process = try SharedProcess(rights)
            // A new one lets in the first that comes.
            let isFirst = process.admit(request.id, files) ?? true
            open[name, default: []].append(process)
            return (process, isFirst)
        }
        do throws(SystemError) {
            return try process.entrance(isFirst: isFirst)
        } catch {
            process.leave()
            throw error
        }
    }

    /// The newest process of a name. Forgets those that are over.
    private static func newest(
        _ name: String, _ open: inout [String: [SharedProcess]]
    ) -> SharedProcess? {
        open[name]?.removeAll(where: \.isOver)
        return open[name]?.last
    }
}
