// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface
import EavesSystem
import Glibc
import Synchronization

/// The descriptors on which this process takes calls, by their names: those that its modules have made, those
/// of the process before, and those that systemd has opened for it.
///
/// Safe from any thread.
package final class KeptDescriptors: Listeners {
    /// Descriptors belong to the process, whichever host of it asks.
    package static let ofProcess = KeptDescriptors()

    package typealias Named = (name: String, descriptors: [Int32])

    private struct State {
        var kept: [Named] = []
        var hasLookedAround = false
        /// Whether others need them, so that nothing is dropped.
        var isInDemand: @Sendable () -> Bool = { false }
        /// A feature has said that it is ready.
        var ready = Occasion()
        /// The features wait for this value while the process before still takes calls: the reason why they get nothing,
        /// or `nil` if they get what is kept. There is none in a process that takes over from no other.
        var release: Awaited<String?>?
        /// A feature waits for that.
        var awaited = Occasion()
        /// Features that say that they are ready wait for this value: until then, the process before may take calls again.
        var turn: Awaited<Void>?
        var keeper: (any DescriptorKeeper)?
    }

    /// Something that comes once, and that one function is told of.
    private struct Occasion {
        private(set) var hasCome = false
        private var listener: (@Sendable () -> Void)?

        mutating func come() -> (@Sendable () -> Void)? {
            hasCome = true
            return listener.take()
        }

        /// - Returns: Whether it has come already, so that the caller calls the function.
        mutating func tell(_ function: @escaping @Sendable () -> Void) -> Bool {
            if !hasCome { listener = function }
            return hasCome
        }
    }

    private let state = Mutex(State())
    /// A lock that is held while a function makes descriptors, so that two callers at once get the same ones.
    private let making = RecursiveLock()
    private let variable: @Sendable (String) -> String?

    package init(variable: @escaping @Sendable (String) -> String? = Environment.value) {
        self.variable = variable
    }

    package func descriptors(named name: String, orMake make: () throws -> [Int32]) throws
        -> [Int32]
    {
        if let release = state.withLock(\.release) {
            state.withLock { $0.awaited.come() }?()
            if let reason = release.wait() { throw ListenersError(reason) }
        }
        return try making.withLock {
            if let copies = try copies(named: name) { return copies }
            let made = try make()
            guard made.allSatisfy({ fcntl($0, F_GETFD) >= 0 }) else {
                throw ListenersError("a descriptor that was made for '\(name)' is not open")
            }
            // Children do not get them.
            for descriptor in made { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            let keeper = state.withLock { state in
                state.kept.append((name, made))
                return state.keeper
            }
            keeper?.keep((name, made))
            return try copies(named: name) ?? []
        }
    }

    package func descriptor(named name: String, orMake make: () throws -> Int32) throws -> Int32 {
        try first(named: name, orMake: make)
    }

    package func drop(_ name: String) {
        if state.withLock(\.isInDemand)() { return }
        let (dropped, keeper) = state.withLock { state in
            lookAround(&state)
            let dropped = state.kept.filter { $0.name == name }
            state.kept.removeAll { $0.name == name }
            return (dropped, state.keeper)
        }
        keeper?.drop(name)
        for descriptor in dropped.flatMap(\.descriptors) { close(descriptor) }
    }

    package func ready() {
        let (tell, turn) = state.withLock { ($0.ready.come(), $0.turn) }
        tell?()
        turn?.wait()
    }

    private func copies(named name: String) throws -> [Int32]? {
        try state.withLock { state in
            lookAround(&state)
            guard let kept = state.kept.first(where: { $0.name == name }) else { return nil }
            var copies: [Int32] = []
            for descriptor in kept.descriptors {
                let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
                guard copy >= 0 else {
                    let reason = Errno.current
                    for other in copies { close(other) }
                    throw ListenersError("cannot copy the descriptor '\(name)': \(reason)")
                }
                copies.append(copy)
            }
            return copies
        }
    }

    /// Takes the sockets that systemd has opened for this process: from descriptor 3 on, with names in
    /// `LISTEN_FDNAMES`. Those without a name are called `unknown`, as systemd calls them. The variables stay:
    /// they name this process, so that no other takes them for its own.
    private func lookAround(_ state: inout State) {
        guard !state.hasLookedAround else { return }
        state.hasLookedAround = true
        guard variable("LISTEN_PID") == "\(getpid())",
            let count = variable("LISTEN_FDS").flatMap({ Int32($0) }), (1...1024).contains(count)
        else { return }
        let names = (variable("LISTEN_FDNAMES") ?? "").split(
            separator: ":", omittingEmptySubsequences: false)
        for index in 0..<count where fcntl(3 + index, F_GETFD) >= 0 {
            let name = names.indices.contains(Int(index)) ? String(names[Int(index)]) : ""
            _ = fcntl(3 + index, F_SETFD, FD_CLOEXEC)
            Self.add(3 + index, named: name.isEmpty ? "unknown" : name, to: &state.kept)
        }
    }

    private static func add(_ descriptor: Int32, named name: String, to kept: inout [Named]) {
        if let index = kept.firstIndex(where: { $0.name == name }) {
            kept[index].descriptors.append(descriptor)
        } else {
            kept.append((name, [descriptor]))
        }
    }
}

extension Listeners {
    /// The first of the descriptors that are kept under a name, or that are made.
    package func first(named name: String, orMake make: () throws -> Int32) throws -> Int32 {
        let all = try descriptors(named: name) { [try make()] }
        for other in all.dropFirst() { close(other) }
        guard let first = all.first else {
            throw ListenersError("no descriptor is kept under the name '\(name)'")
        }
        return first
    }
}

// For the process before, and the next one.
extension KeptDescriptors {
    /// Sends copies of descriptors that are kept to a keeper, and from now on of all that a feature makes.
    package func tell(_ keeper: any DescriptorKeeper, of kept: [Named]) {
        state.withLock { $0.keeper = keeper }
        for named in kept { keeper.keep(named) }
    }

    package var all: [Named] {
        state.withLock { state in
            lookAround(&state)
            return state.kept
        }
    }

    /// Drops nothing while a condition holds: a fresh process gets the descriptors, or a feature that begins again.
    package func keepAll(while isInDemand: @escaping @Sendable () -> Bool) {
        state.withLock { $0.isInDemand = isInDemand }
    }

    /// Takes over what the process before has kept.
    package func adopt(_ descriptor: Int32, named name: String) {
        state.withLock { Self.add(descriptor, named: name, to: &$0.kept) }
    }

    /// Lets a feature that asks wait from now on: the process before still takes calls.
    package func withhold() { state.withLock { $0.release = Awaited() } }

    /// Lets the features that wait go on, and all others have what is kept.
    ///
    /// - Parameter reason: Why they get nothing; `nil` if they get it.
    package func release(because reason: String? = nil) {
        let release = state.withLock { state in
            defer { if reason == nil { state.release = nil } }
            return state.release
        }
        release?.set(reason)
    }

    package var isAwaited: Bool { state.withLock { $0.awaited.hasCome } }

    /// Calls a function once a feature waits, also if one does already.
    package func whenAwaited(_ tell: @escaping @Sendable () -> Void) {
        if state.withLock({ $0.awaited.tell(tell) }) { tell() }
    }

    /// Lets features that say that they are ready wait from now on.
    package func holdReady() { state.withLock { $0.turn = Awaited() } }

    /// Lets them take calls, and all that say so later.
    package func releaseReady() { state.withLock { $0.turn.take() }?.set(()) }

    package var isReady: Bool { state.withLock { $0.ready.hasCome } }

    /// Calls a function once a feature is ready, also if it is already.
    package func whenReady(_ tell: @escaping @Sendable () -> Void) {
        if state.withLock({ $0.ready.tell(tell) }) { tell() }
    }
}

package protocol DescriptorKeeper: Sendable {
    func keep(_ named: KeptDescriptors.Named)
    func drop(_ name: String)
}
