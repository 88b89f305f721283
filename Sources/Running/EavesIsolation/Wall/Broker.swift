// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesChild
import CEavesSystem
package import EavesChild
package import EavesInterface
package import EavesManifest
import EavesProcess
package import EavesSystem
import Glibc
import Synchronization

/// Decides, in the host, to which addresses a worker connects, at which it listens, and how many processes it has. The
/// kernel stops each such call of the worker until the broker has made it in the worker's place, lets the worker make it,
/// or has refused it.
///
/// A thread of its own runs it until the worker's process has ended.
package final class Broker: Sendable {
    private let listener: Int32
    /// The module's process, by its number and by a descriptor.
    private let leader: Int32
    private let process: Int32
    private let permissions: Permissions
    private let count: ProcessCount?
    private let log: @Sendable (LogLevel, String) -> Void
    private let names = HostNames()
    private let state = Mutex(State())

    private struct State {
        /// The number of calls that wait for the other end of a connection.
        var waiting = 0
        var told: Set<String> = []
    }

    /// The largest number of calls of one worker that wait for other ends.
    private static let mostWaiting = 64
    private static let mostTold = 16

    /// Waits until a process raises its wall, and begins to decide about its connections and its children, if it may have any.
    ///
    /// - Parameters:
    ///   - channel: The channel to the process, which carries nothing else until this returns.
    ///   - limit: The time that the process has for its wall.
    ///   - processes: How many of them there may be; `nil` if something else counts them.
    ///   - log: A function that is called on any thread.
    /// - Throws: `SystemError` if the system does not let the host decide. The process goes on, and the system refuses all
    ///   such calls.
    package static func start(
        for program: StartedProgram, on channel: Int32, _ permissions: Permissions,
        within limit: Duration, processes: Int?,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) throws(SystemError) {
        guard permissions.needsBroker,
            let listener = BrokerDescriptor.wait(on: channel, within: limit)
        else { return }
        // The worker goes on, which may close the descriptor now.
        defer { BrokerDescriptor.tell(0, on: channel) }
        let copy = eaves_wall_copy(program.handle, listener)
        guard copy >= 0 else { throw SystemError(.open, "the connections of a module's process") }
        let handle = fcntl(program.handle, F_DUPFD_CLOEXEC, 0)
        // It leads the group, which it and its children cannot leave.
        let count = processes.map { ProcessCount(group: program.process, limit: $0) }
        let broker = Broker(copy, program.process, handle, permissions, count, log)
        guard handle >= 0 else { throw SystemError(.open, "a module's process") }
        try DetachedThread.start { broker.run() }
    }

    private init(
        _ listener: Int32, _ leader: Int32, _ process: Int32, _ permissions: Permissions,
        _ count: ProcessCount?,
        _ log: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.listener = listener
        self.leader = leader
        self.process = process
        self.permissions = permissions
        self.count = count
        self.log = log
    }

    deinit {
        close(listener)
        if process >= 0 { close(process) }
    }

    private func run() {
        var call = eaves_wall_call()
        var count = count
        while true {
            guard eaves_wall_next(listener, &call) == 0 else {
                if errno == ENOENT { continue }
                return
            }
            if call.kind == eaves_wall_process {
                let isAllowed = count?.add() ?? true
                if !isAllowed { tell(call) }
                _ = isAllowed ? eaves_wall_continue(listener, call.id) : answer(call, -EAGAIN)
                continue
            }
            let socket = copySocket(of: call)
            guard socket >= 0 else {
                answer(call, -errno)
                continue
            }
            guard isAllowed(call, on: socket) else {
                tell(call)
                close(socket)
                answer(call, -EACCES)
                continue
            }
            perform(call, on: socket)
        }
    }

    /// Copies the socket from the process that calls: the module's, or that of a program which the module has started.
    ///
    /// - Returns: -1 with `errno` set.
    private func copySocket(of call: eaves_wall_call) -> Int32 {
        guard !permissions.run.isEmpty, let caller = Self.process(of: call.thread),
            caller != leader
        else { return eaves_wall_copy(process, call.socket) }
        let handle = eaves_pidfd_open(caller)
        guard handle >= 0 else { return handle }
        defer { close(handle) }
        // Until here, the numbers are those of the caller.
        guard withUnsafePointer(to: call, { eaves_wall_is_waiting(listener, $0) }) else {
            errno = ESRCH
            return -1
        }
        return eaves_wall_copy(handle, call.socket)
    }

    /// The process that a thread belongs to; `nil` if it has ended.
    private static func process(of thread: Int32) -> Int32? {
        let status = try? OpenFile(reading: "/proc/\(thread)/status").bytes(at: 0, count: 4096)
        return String(decoding: status ?? [], as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix("Tgid:\t") }.flatMap { Int32($0.dropFirst("Tgid:\t".count)) }
    }

    /// The value of a socket's option, such as `SO_TYPE`; `nil` if it has none.
    static func option(_ name: Int32, of socket: Int32) -> Int32? {
        var (value, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        return getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    /// Performs the call with a copy of its socket, and closes the copy.
    private func perform(_ call: eaves_wall_call, on socket: Int32) {
        let waits =
            call.kind == eaves_wall_connect && fcntl(socket, F_GETFL) & O_NONBLOCK == 0
            && Self.option(SO_TYPE, of: socket) != Int32(SOCK_DGRAM.rawValue)
        guard waits else { return finish(call, socket) }
        let isFree = state.withLock { state in
            if state.waiting < Self.mostWaiting { state.waiting += 1 } else { return false }
            return true
        }
        do throws(SystemError) {
            guard isFree else { throw SystemError(.run, "a thread", .tryAgain) }
            try DetachedThread.start { [self] in
                finish(call, socket)
                state.withLock { $0.waiting -= 1 }
            }
        } catch {
            if isFree { state.withLock { $0.waiting -= 1 } }
            close(socket)
            answer(call, -EAGAIN)
        }
    }

    private func finish(_ call: eaves_wall_call, _ socket: Int32) {
        let result = withUnsafePointer(to: call) { eaves_wall_do($0, socket) }
        close(socket)
        answer(call, result)
    }

    /// A call that is over already needs no answer.
    @discardableResult
    private func answer(_ call: eaves_wall_call, _ result: Int32) -> Int32 {
        eaves_wall_answer(listener, call.id, result)
    }

    // MARK: Deciding

    private func isAllowed(_ call: eaves_wall_call, on socket: Int32) -> Bool {
        let isDatagram = Self.option(SO_TYPE, of: socket) == Int32(SOCK_DGRAM.rawValue)
        switch call.kind {
        case eaves_wall_connect:
            guard let address = NetworkAddress(call), call.port != 0 else { return false }
            if permissions.resolvesNames, call.port == NetworkAddress.namePort,
                NetworkAddress.nameServers.contains(address)
            {
                return true
            }
            return !isDatagram && permissions.connect.contain(address, call.port, names)
        case eaves_wall_bind:
            guard let address = NetworkAddress(call), !isDatagram else { return false }
            return permissions.listen.contain(address, call.port, names)
        default:
            // A socket that has no address yet would get any.
            var own = call
            guard eaves_wall_own_address(socket, &own) == 0, own.port != 0,
                let address = NetworkAddress(own)
            else { return false }
            return permissions.listen.contain(address, own.port, names)
        }
    }

    /// Writes a refusal to the host's log, which leads to the missing permission.
    private func tell(_ call: eaves_wall_call) {
        // The proof asks for this port, which nothing else does.
        guard call.kind != eaves_wall_connect || call.port != 0 else { return }
        if call.kind == eaves_wall_process {
            let limit = count?.limit ?? 0
            return tell(
                "may have no more than \(limit) \(limit == 1 ? "process" : "processes") at one time: "
                    + "'limits.processes' of the manifest")
        }
        let address = NetworkAddress(call).map { $0.text(port: call.port) } ?? "another address"
        let text =
            switch call.kind {
            case eaves_wall_connect: "may not connect to \(address)"
            case eaves_wall_bind: "may not listen at \(address)"
            default: "may not listen at a port that it has not chosen"
            }
        tell("\(text): the manifest's 'permissions' do not list it")
    }

    private func tell(_ text: String) {
        let isNew = state.withLock { state in
            state.told.count < Self.mostTold && state.told.insert(text).inserted
        }
        if isNew { log(.warning, text) }
    }
}

/// The number of the descriptor on which a host decides about a worker's calls, as the worker tells it before it sends any
/// message.
enum BrokerDescriptor {
    /// Sends the number; -1 for none.
    static func tell(_ descriptor: Int32, on channel: Int32) {
        LocalSocket.sendAtOnce((try? Frame.bytes(of: descriptor)) ?? [], to: channel)
    }

    /// Waits until the host has copied it. Without a host, this process ends.
    static func awaitCopy(on channel: Int32) {
        if Frame.read(from: channel) == nil { _exit(1) }
    }

    /// Waits for the number.
    ///
    /// - Returns: `nil` if the worker does not send it in this time, or has none.
    static func wait(on channel: Int32, within limit: Duration) -> Int32? {
        let content = Frame.read(from: channel, until: .now + limit)
        let number = content.flatMap { try? Frame.value(Int32.self, in: $0) } ?? -1
        return number >= 0 ? number : nil
    }
}

/// The number of processes of a worker: its own, and those of the programs that it has started, which cannot leave its process
/// group. A value of the broker's thread.
struct ProcessCount {
    let group: Int32
    let limit: Int
    /// There are no more than these. Those that have ended are taken off when the limit is reached.
    var most = 1

    /// A process that was allowed a moment ago may not be there yet.
    private static let patience: UInt32 = 20_000

    /// Counts one more.
    ///
    /// - Returns: `false` if there would be too many.
    mutating func add() -> Bool {
        if most >= limit {
            usleep(Self.patience)
            most = members
        }
        guard most < limit else { return false }
        most += 1
        return true
    }

    /// The processes of the group now. One that has ended counts until its parent has asked for it: it takes a number.
    private var members: Int {
        guard let all = try? Folder("/proc").entries else { return limit }
        return all.count { entry in
            Int32(entry.name).map { getpgid($0) == group } ?? false
        }
    }
}
