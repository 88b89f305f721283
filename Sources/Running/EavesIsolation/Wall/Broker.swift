// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesChild
import CEavesSystem
package import EavesChild
package import EavesInterface
package import EavesManifest
import EavesProcess
package import EavesSystem
import EavesTrust
import Glibc
import Synchronization

/// Decides, in the host, to which addresses a worker connects, at which it listens, which files get other modes and times, and
/// how many processes there are. The kernel stops each such call of the worker until the broker has made it in the worker's
/// place, lets the worker make it, or has refused it.
///
/// A thread of its own runs it until the worker's process has ended, and waits for nothing but the next call: connections and
/// look-ups of names go on beside it.
package final class Broker: Sendable {
    private let listener: Int32
    private let program: StartedProgram
    private let permissions: Permissions
    private let space: TemporarySpace
    private let limits: IsolationLimits?
    /// The places of the files that the process may change.
    private let writable: [[UInt8]]
    private let log: @Sendable (LogLevel, String) -> Void
    private let state = Mutex(State())

    private struct State {
        /// The copies of descriptors with which calls are under way.
        var copies: Set<Int32> = []
        var hasEnded = false
        var told: Set<String> = []
    }

    /// The largest number of calls of one worker that wait for other ends.
    private static let mostWaiting = 64
    private static let mostTold = 16
    /// The time between two looks at the temporary files.
    private static let pause = Duration.seconds(1)

    /// Waits until a process raises its wall, and begins to decide about its calls.
    ///
    /// - Parameters:
    ///   - channel: The channel to the process, which carries nothing else until this returns.
    ///   - limit: The time that the process has for its wall.
    ///   - space: The folder for its temporary files.
    ///   - limits: Its limits; `nil` if something else sees to them.
    ///   - log: A function that is called on any thread.
    /// - Returns: `nil` if the process makes no calls that are decided about, or if the system lets the host decide about none
    ///   and the module can do without, as the log says. Such calls are unknown to the process then.
    /// - Throws: `SystemError` if the module cannot do without.
    package static func start(
        for program: StartedProgram, on channel: Int32, _ permissions: Permissions,
        within limit: Duration, _ space: TemporarySpace, _ limits: IsolationLimits?,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) throws(SystemError) -> Broker? {
        let content = Frame.read(from: channel, until: .now + limit)
        let listener = content.flatMap { try? Frame.value(Int32.self, in: $0) } ?? -1
        guard listener >= 0 else { return nil }
        // The worker goes on, which may close the descriptor now.
        defer { BrokerDescriptor.tell(0, on: channel) }
        let copy = eaves_wall_copy(program.handle, listener)
        guard copy >= 0 else {
            let name = program.handle < 0 ? "pidfd_open" : "pidfd_getfd"
            let error = SystemError(.call, name, program.handle < 0 ? .notPermitted : .current)
            if permissions.needsBroker { throw error }
            log(.warning, "changes no modes and times of its files: \(error)")
            return nil
        }
        let broker = Broker(copy, program, permissions, space, limits, log)
        try DetachedThread.start { broker.run() }
        return broker
    }

    private init(
        _ listener: Int32, _ program: StartedProgram, _ permissions: Permissions,
        _ space: TemporarySpace, _ limits: IsolationLimits?,
        _ log: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.listener = listener
        self.program = program
        self.permissions = permissions
        self.space = space
        self.limits = limits
        writable = FileChange.places(
            of: permissions.write + [space.path], PermittedFiles(besides: permissions.changeable))
        self.log = log
    }

    deinit { close(listener) }

    /// Lets the calls return that wait for other ends: the process has ended.
    package func end() {
        while true {
            let isOver = state.withLock { state in
                state.hasEnded = true
                for copy in state.copies { shutdown(copy, Int32(SHUT_RDWR)) }
                return state.copies.isEmpty
            }
            if isOver { return }
            // A call that has not begun to wait is not woken.
            usleep(1_000)
        }
    }

    private func run() {
        var call = eaves_wall_call()
        // The process leads the group, which it and its children cannot leave.
        var count = ProcessCount(group: program.process, limit: limits?.processes ?? .max)
        let limit = limits?.temporary
        var nextLook = limit.map { _ in ContinuousClock.now + Self.pause }
        while true {
            let hasNext =
                eaves_wall_next(listener, PollTime.milliseconds(until: nextLook), &call) == 0
            guard hasNext || errno == ENOENT else { return }
            if let limit, let look = nextLook, look <= .now {
                let processes = permissions.run.isEmpty ? [count.group] : count.members
                if space.isOver(limit, for: processes) {
                    tell(
                        "has more than \(Quantity.text(bytes: limit)) of temporary files, and is ended: "
                            + "'limits.temporary' of the manifest")
                    _ = eaves_pidfd_signal(program.handle, SIGKILL)
                }
                nextLook = .now + Self.pause
            }
            guard hasNext else { continue }
            switch call.kind {
            case eaves_wall_process:
                if count.add() {
                    _ = eaves_wall_continue(listener, call.id)
                } else {
                    tell(
                        "may have no more than \(count.limit) \(count.limit == 1 ? "process" : "processes") at "
                            + "one time: 'limits.processes' of the manifest")
                    answer(call, -EAGAIN)
                }
            case eaves_wall_change where call.number == Int32(SYS_flock): lock(call)
            case eaves_wall_change: change(call)
            default: decide(call)
            }
        }
    }

    private func change(_ call: eaves_wall_call) {
        let change = FileChange(call) { address, count in
            [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                filled = withUnsafePointer(to: call) {
                    max(0, eaves_wall_peek(listener, $0, address, buffer.baseAddress!, count))
                }
            }
        }
        let (error, words) =
            change?.perform(in: writable) { eaves_wall_waits(listener, call.id) } ?? (EFAULT, nil)
        if let words { tell("may not \(words)") }
        answer(call, -error)
    }

    /// Copies the descriptor from the process that calls: the module's, or that of a program which the module has started.
    ///
    /// - Returns: -1 with `errno` set.
    private func copyDescriptor(of call: eaves_wall_call) -> Int32 {
        guard !permissions.run.isEmpty, let caller = Self.process(of: call.thread),
            caller != program.process
        else { return eaves_wall_copy(program.handle, call.socket) }
        let handle = eaves_pidfd_open(caller)
        guard handle >= 0 else { return handle }
        defer { close(handle) }
        // Until here, the numbers are those of the caller.
        guard eaves_wall_waits(listener, call.id) else {
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

    /// Locks a file by a copy of its descriptor. A module that could lock what it only reads would keep this process, and others,
    /// from their own files.
    private func lock(_ call: eaves_wall_call) {
        let file = copyDescriptor(of: call)
        guard file >= 0 else { return answer(call, -errno) }
        let place = FileChange.place(of: PathHandle.ownPath(of: file))
        guard FileChange.isInside(place, writable) else {
            close(file)
            tell(
                "may not lock \(String(decoding: place, as: UTF8.self)): the manifest's 'permissions' do "
                    + "not list it under 'write'")
            return answer(call, -EACCES)
        }
        let operation = Int32(truncatingIfNeeded: call.arguments.1)
        let waits = operation & (LOCK_NB | LOCK_UN) == 0
        perform(call, on: file, waits: waits) { [listener] in
            while flock(file, operation | LOCK_NB) != 0 {
                let error = errno
                // A process that is gone waits for nothing.
                guard error == EWOULDBLOCK, waits, eaves_wall_waits(listener, call.id) else {
                    return -error
                }
                usleep(10_000)
            }
            return 0
        }
    }

    // MARK: Sockets

    /// The value of a socket's option, such as `SO_TYPE`; `nil` if it has none.
    static func option(_ name: Int32, of socket: Int32) -> Int32? {
        var (value, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        return getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    private static func isDatagram(_ socket: Int32) -> Bool {
        option(SO_TYPE, of: socket) == Int32(SOCK_DGRAM.rawValue)
    }

    /// Makes the call, or refuses it. Where that depends on the addresses of names, they are looked up first, beside the
    /// other calls.
    private func decide(_ call: eaves_wall_call, hasAsked: Bool = false) {
        let socket = copyDescriptor(of: call)
        guard socket >= 0 else { return answer(call, -errno) }
        var call = call
        // A socket that has no address yet would get any.
        if call.kind == eaves_wall_listen {
            let isBound = eaves_wall_own_address(socket, &call) == 0 && call.port != 0
            if !isBound { call.length = 0 }
        }
        let isDatagram = Self.isDatagram(socket)
        let verdict = permissions.verdict(
            connects: call.kind == eaves_wall_connect, to: NetworkAddress(call), call.port,
            isDatagram: isDatagram,
            HostNames.shared.addresses)
        switch verdict {
        case .allowed: perform(call, on: socket)
        case .source:
            call.port = 0
            perform(call, on: socket)
        case .unsure(let names) where !hasAsked:
            close(socket)
            HostNames.shared.ask(names[...]) { [self, call] in decide(call, hasAsked: true) }
        case .unsure, .refused:
            close(socket)
            // The C library tries all addresses of a name by UDP, whether or not the module connects to them.
            let isTried = isDatagram && permissions.resolvesNames
            if !isTried { tell(call, verdict) }
            answer(call, -EACCES)
        }
    }

    /// Connects, binds or listens with a copy of the call's socket.
    private func perform(_ call: eaves_wall_call, on socket: Int32) {
        let waits =
            call.kind == eaves_wall_connect && fcntl(socket, F_GETFL) & O_NONBLOCK == 0
            && !Self.isDatagram(socket)
        perform(call, on: socket, waits: waits) {
            withUnsafePointer(to: call) { eaves_wall_do($0, socket) }
        }
    }

    /// Works on a copy of the call's descriptor, beside other calls if it waits, and closes the copy.
    private func perform(
        _ call: eaves_wall_call, on copy: Int32, waits: Bool,
        _ body: @escaping @Sendable () -> Int32
    ) {
        let isFree = state.withLock { state in
            guard !state.hasEnded, state.copies.count < Self.mostWaiting else { return false }
            return state.copies.insert(copy).inserted
        }
        guard isFree else {
            close(copy)
            return answer(call, -EAGAIN)
        }
        @Sendable func finish(_ result: Int32) {
            state.withLock { state in
                state.copies.remove(copy)
                // Under the lock: its number is another one's at once.
                close(copy)
            }
            answer(call, result)
        }
        guard waits else { return finish(body()) }
        do throws(SystemError) {
            try DetachedThread.start { finish(body()) }
        } catch {
            finish(-EAGAIN)
        }
    }

    /// A call that is over already needs no answer.
    private func answer(_ call: eaves_wall_call, _ result: Int32) {
        _ = eaves_wall_answer(listener, call.id, result)
    }

    // MARK: Telling

    /// Writes a refusal to the host's log, which leads to the missing permission.
    private func tell(_ call: eaves_wall_call, _ verdict: SocketVerdict) {
        // The proof asks for this port, which nothing else does.
        guard call.kind != eaves_wall_connect || call.port != 0 else { return }
        let address = NetworkAddress(call).map { $0.text(port: call.port) } ?? "another address"
        let text =
            switch call.kind {
            case eaves_wall_connect: "may not connect to \(address)"
            case eaves_wall_bind: "may not listen at \(address)"
            default: "may not listen at a port that it has not chosen"
            }
        let names = if case .unsure(let names) = verdict { names } else { [] as [String] }
        let known = names.map { "; " + HostNames.shared.words(of: $0) }.joined()
        tell("\(text): the manifest's 'permissions' do not list it", known)
    }

    /// - Parameter more: Words that are another time's next time.
    private func tell(_ text: String, _ more: String = "") {
        let isNew = state.withLock { state in
            state.told.count < Self.mostTold && state.told.insert(text).inserted
        }
        if isNew { log(.warning, text + more) }
    }
}

/// The number of the descriptor on which a host decides about a worker's calls, as the worker tells it before it sends any
/// message.
enum BrokerDescriptor {
    /// Sends the number; -1 for none.
    static func tell(_ descriptor: Int32, on channel: Int32) {
        LocalSocket.sendAtOnce((try? Frame.bytes(of: descriptor)) ?? [], to: channel)
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
            most = members.count
        }
        guard most < limit else { return false }
        most += 1
        return true
    }

    /// The processes of the group now. One that has ended counts until its parent has asked for it: it takes a number.
    var members: [Int32] {
        let all = (try? Folder("/proc").entries) ?? []
        return all.compactMap { Int32($0.name) }.filter { getpgid($0) == group }
    }
}
