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

    @Test("counts an obstacle to the manifest as a whole, whether it is new or not")
    func whole() {
        let manifest = obstacle("")
        #expect(host(manifest).obstacles(about: ["mail"], besides: [manifest]) == [manifest])
    }
}
