// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc
import Synchronization

/// The addresses of names, as the modules of this process connect to them. A look-up runs on a thread of its own, one for
/// each name at a time, and the last good answer stays until a better one comes.
///
/// Safe from any thread.
final class HostNames: Sendable {
    static let shared = HostNames()

    /// All that is known of one name. A pure value.
    struct Answer {
        /// When an answer has had each address last.
        private var seen: [NetworkAddress: ContinuousClock.Instant] = [:]
        /// When the last good answer came.
        private var time: ContinuousClock.Instant?
        /// When the last answer came, and its error if it was not good.
        private(set) var asked = ContinuousClock.now
        private var failure: String?

        /// A server that spreads its clients gives each of them some of its addresses.
        private static let memory = Duration.seconds(60)

        mutating func note(_ found: Found, at now: ContinuousClock.Instant) {
            asked = now
            failure = found.failure
            guard failure == nil else { return }
            time = now
            seen = seen.filter { $0.value + Self.memory > now }
            for address in found.addresses { seen[address] = now }
        }

        /// The addresses of the last good answer, and those that others had shortly before it.
        var addresses: Set<NetworkAddress> { Set(seen.keys) }

        /// The words for the host's log.
        func words(of name: String, at now: ContinuousClock.Instant) -> String {
            let failed = failure.map { ", and now: \($0)" } ?? ""
            guard let time else { return "'\(name)' has no known address\(failed)" }
            let list = seen.keys.map(\.text).sorted().joined(separator: ", ")
            return "'\(name)' had \(list) \((now - time).components.seconds) s ago\(failed)"
        }
    }

    /// The outcome of one look-up.
    struct Found {
        var addresses: Set<NetworkAddress> = []
        /// The reason why it has no answer; `nil` if it has one.
        var failure: String?
    }

    private struct State {
        var answers: [String: Answer] = [:]
        /// The functions that wait for the look-ups under way, by the name.
        var waiting: [String: [@Sendable () -> Void]] = [:]
    }

    private let lookUp: @Sendable (String) -> Found
    private let state = Mutex(State())

    /// An answer of this age is asked for again when it is used, and one that says no to a call at once.
    private static let time = Duration.seconds(5)
    /// Within this time, a name is not asked for twice.
    private static let pause = Duration.seconds(1)

    /// - Parameter lookUp: A function that blocks its thread.
    init(lookUp: @escaping @Sendable (String) -> Found = HostNames.found) { self.lookUp = lookUp }

    /// The addresses as they are known now. An old answer is asked for again meanwhile.
    func addresses(of name: String) -> Set<NetworkAddress> {
        guard let answer = state.withLock({ $0.answers[name] }) else { return [] }
        if answer.asked + Self.time < .now { ask(name) {} }
        return answer.addresses
    }

    func words(of name: String) -> String {
        (state.withLock { $0.answers[name] } ?? Answer()).words(of: name, at: .now)
    }

    /// Looks names up, all at the same time, and then calls a function, on another thread or on this one.
    func ask(_ names: ArraySlice<String>, then body: @escaping @Sendable () -> Void) {
        guard let name = names.first else { return body() }
        for name in names.dropFirst() { ask(name) {} }
        ask(name) { [self] in ask(names.dropFirst(), then: body) }
    }

    private func ask(_ name: String, then body: @escaping @Sendable () -> Void) {
        let isFirst: Bool? = state.withLock { state in
            let isUnderWay = state.waiting[name] != nil
            if !isUnderWay, let answer = state.answers[name], answer.asked + Self.pause > .now {
                return nil
            }
            state.waiting[name, default: []].append(body)
            return !isUnderWay
        }
        guard let isFirst else { return body() }
        guard isFirst else { return }
        do throws(SystemError) {
            try DetachedThread.start { [self] in note(lookUp(name), of: name) }
        } catch {
            note(Found(failure: "\(error)"), of: name)
        }
    }

    private func note(_ found: Found, of name: String) {
        let waiting = state.withLock { state in
            state.answers[name, default: Answer()].note(found, at: .now)
            return state.waiting.removeValue(forKey: name) ?? []
        }
        for body in waiting { body() }
    }

    static func found(_ name: String) -> Found {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let error = getaddrinfo(name, nil, &hints, &list)
        guard error == 0 else { return Found(failure: String(cString: gai_strerror(error))) }
        defer { freeaddrinfo(list) }
        let entries = sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }
        return Found(addresses: Set(entries.compactMap { NetworkAddress($0?.pointee.ai_addr) }))
    }
}
