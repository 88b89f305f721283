// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesIsolation

@Suite("HostNames", .onOwnThreads)
struct HostNamesTests {
    private let first = NetworkAddress([10, 0, 0, 1])
    private let second = NetworkAddress([10, 0, 0, 2])
    private let failed = HostNames.Found(failure: "no server answers")

    @Test("keeps the last good answer until a better one comes")
    func lastGood() {
        let now = ContinuousClock.now
        var answer = HostNames.Answer()
        answer.note(failed, at: now)
        #expect(answer.addresses.isEmpty)
        #expect(
            answer.words(of: "a.b", at: now)
                == "'a.b' has no known address, and now: no server answers")
        answer.note(HostNames.Found(addresses: [first]), at: now)
        answer.note(failed, at: now + .seconds(3_600))
        #expect(answer.addresses == [first])
        #expect(
            answer.words(of: "a.b", at: now + .seconds(3_612))
                == "'a.b' had 10.0.0.1 3612 s ago, and now: no server answers")
        answer.note(HostNames.Found(addresses: [second]), at: now + .seconds(3_620))
        #expect(answer.addresses == [second])
        #expect(
            answer.words(of: "a.b", at: now + .seconds(3_621)) == "'a.b' had 10.0.0.2 1 s ago")
    }

    @Test("knows the addresses that a server gives one after the other")
    func turns() {
        let now = ContinuousClock.now
        var answer = HostNames.Answer()
        for second in 0..<100 {
            let address = second % 2 == 0 ? first : self.second
            answer.note(HostNames.Found(addresses: [address]), at: now + .seconds(second))
            #expect(answer.addresses.count == (second == 0 ? 1 : 2))
        }
    }

    @Test("waits for no look-up, and asks once for all that want to know")
    func beside() throws {
        let answer = Awaited<HostNames.Found>()
        let asked = Shared(0)
        let names = HostNames { _ in
            asked.value += 1
            return answer.wait()
        }
        let ended = [Awaited<Set<NetworkAddress>>(), Awaited<Set<NetworkAddress>>()]
        for end in ended { names.ask(["a.b"]) { end.set(names.addresses(of: "a.b")) } }
        // The look-up is under way, or not yet.
        #expect(names.addresses(of: "a.b").isEmpty && ended[0].wait(within: .zero) == nil)
        answer.set(HostNames.Found(addresses: [first]))
        for end in ended { #expect(end.wait() == [first]) }
        #expect(asked.value == 1)
    }

    @Test("asks for several names at the same time")
    func several() throws {
        let both = [Awaited<Bool>(), Awaited<Bool>()]
        let names = HostNames { [first, second] name in
            // Each look-up ends when the other one has begun.
            let own = name == "a" ? 0 : 1
            both[own].set(true)
            _ = both[1 - own].wait()
            return HostNames.Found(addresses: own == 0 ? [first] : [second])
        }
        let end = Awaited<Bool>()
        names.ask(["a", "b"]) { end.set(true) }
        _ = end.wait()
        #expect(names.addresses(of: "a") == [first] && names.addresses(of: "b") == [second])
    }

    @Test("asks the system")
    func system() throws {
        let (names, end) = (HostNames(), Awaited<Bool>())
        names.ask(["localhost", "no.such.name.invalid"]) { end.set(true) }
        _ = end.wait()
        let addresses = names.addresses(of: "localhost")
        #expect(!addresses.isEmpty && addresses.allSatisfy(\.isLoopback))
        #expect(names.addresses(of: "no.such.name.invalid").isEmpty)
        #expect(names.words(of: "no.such.name.invalid").contains("has no known address, and now: "))
    }

    // MARK: Decisions

    private func verdict(
        _ permissions: Permissions, connects: Bool = true, to address: NetworkAddress?,
        _ port: UInt16 = 443, isDatagram: Bool = false, known: Set<NetworkAddress> = []
    ) -> SocketVerdict {
        permissions.verdict(connects: connects, to: address, port, isDatagram: isDatagram) {
            $0 == "a.b" ? known : []
        }
    }

    @Test("decide about a connection")
    func decisions() throws {
        var permissions = Permissions()
        permissions.connect = [NetworkEndpoint(host: "a.b", port: 443)]
        #expect(verdict(permissions, to: first, known: [first, second]) == .allowed)
        #expect(verdict(permissions, to: second, known: [first, second]) == .allowed)
        #expect(verdict(permissions, to: second, known: [first]) == .unsure(["a.b"]))
        #expect(verdict(permissions, to: first, 80, known: [first]) == .refused)
        #expect(verdict(permissions, to: nil) == .refused)
        #expect(verdict(permissions, connects: false, to: first, known: [first]) == .refused)
        #expect(verdict(permissions, to: first, isDatagram: true, known: [first]) == .refused)
        // So the C library puts the addresses of a name in order.
        permissions.resolvesNames = true
        #expect(verdict(permissions, to: first, isDatagram: true, known: [first]) == .source)
        #expect(verdict(permissions, to: first, isDatagram: true) == .unsure(["a.b"]))
        #expect(verdict(permissions, to: first, 80, isDatagram: true, known: [first]) == .refused)
        permissions.listen = [NetworkEndpoint(host: "localhost", port: nil)]
        let own = NetworkAddress([127, 0, 0, 1])
        #expect(verdict(permissions, connects: false, to: own) == .allowed)
        #expect(verdict(permissions, connects: false, to: own, isDatagram: true) == .refused)
        // The system chooses a port.
        #expect(verdict(permissions, connects: false, to: own, 0) == .allowed)
        #expect(verdict(permissions, to: own, 0) == .refused)
        permissions.connect = [NetworkEndpoint(host: nil, port: 443)]
        #expect(verdict(permissions, to: first) == .allowed)
    }
}
