// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import Testing

@testable import EavesCLI
@testable import EavesLife

@Suite("the verdict of running hosts about an edit")
struct HostVerdictTests {
    private typealias Obstacle = RunningHost.Standing.Obstacle

    private func obstacle(_ subject: String, _ message: String = "is kept") -> Obstacle {
        Obstacle(subject: subject, problems: [Diagnostic(message, code: .configuration)])
    }

    private func host(_ obstacles: Obstacle...) -> RunningHost {
        let standing = RunningHost.Standing(
            obstacles: obstacles, isWaiting: false, trials: [], failedRestart: nil, manifest: "")
        return RunningHost(
            process: 7, program: "server", since: 0, generations: [], standing: standing)
    }

    @Test("leaves out obstacles to other subjects that were there before")
    func known() {
        let (own, other) = (obstacle("UserService"), obstacle("mail"))
        let host = host(
            own, other, obstacle("mail", "is kept for another reason"), obstacle("tides"))
        let counted = host.obstacles(about: ["UserService"], besides: [own, other])
        #expect(counted == host.obstacles.filter { $0 != other })
    }

    @Test("misses hosts that are gone, except those from which others took over, and they in turn")
    func gone() {
        func host(_ process: Int32, from predecessor: Int32? = nil) -> RunningHost {
            var host = RunningHost.silent(process)
            host.predecessor = predecessor
            return host
        }
        func gone(_ seen: [RunningHost], _ hosts: [RunningHost]) -> [Int32] {
            RunningHost.gone([host(0), host(1), host(2)], of: seen + hosts, leaving: hosts)
                .map(\.process)
        }
        #expect(gone([], [host(1), host(2)]) == [])
        #expect(gone([], [host(2)]) == [1])
        #expect(gone([host(3, from: 1)], [host(2), host(4, from: 3)]) == [])
        #expect(gone([host(3, from: 1)], [host(2), host(4)]) == [1])
    }

    @Test("counts an obstacle to the manifest as a whole, whether it is new or not")
    func whole() {
        let manifest = obstacle("")
        #expect(host(manifest).obstacles(about: ["mail"], besides: [manifest]) == [manifest])
    }
}
