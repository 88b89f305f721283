// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface
import EavesProcess
import EavesSystem
import Glibc

@testable import EavesIsolation

/// Lets a host receive bytes from a worker: frames, messages, calls of the host itself, its report and that of a crash.
enum WorkerCheck {
    static func run(_ bytes: [UInt8]) {
        guard let sockets = try? LocalSocket.pair(),
            let channel = try? MessageChannel(sockets.own)
        else { preconditionFailure("there is no socket") }
        let peer = CallPeer(
            of: "fuzzed", on: channel, providing: HostInstances(HostInstances.Lent(["A.B"]), nil))
        for _ in 0..<3 {
            peer.callOther(WorkerFunction.begin.rawValue) { answer in
                _ = try? peer.reader(of: answer).read(WorkerReport.self)
            }
        }
        // A socket takes as much without a reader.
        LocalSocket.sendAtOnce(Array(bytes.prefix(100_000)), to: sockets.other)
        shutdown(sockets.other, Int32(SHUT_WR))
        try? peer.receive()
        peer.end(.ended)
        close(sockets.other)
        var report = CrashReport()
        report.append(bytes)
        _ = report.blamed
        _ = try? Frame.value(WorkerReport.self, in: bytes)
        _ = try? Frame.value(LaunchRequest.self, in: bytes)
    }
}
