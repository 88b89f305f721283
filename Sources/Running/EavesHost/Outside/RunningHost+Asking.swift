// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesLife
package import EavesManifest
import EavesSystem
import EavesTrust
import Glibc

extension RunningHost {
    /// Asks all processes that follow a manifest's modules: each shell, each `launch --live`, each program that has
    /// called `Host.follow()`.
    ///
    /// Those of other users are left out, and so are those whose store cannot be written.
    ///
    /// - Parameter limit: The time that they have to answer.
    /// - Returns: The processes by their numbers. One that does not answer in time, for instance because it was stopped,
    ///   has no generations.
    package static func all(
        of manifest: Manifest, within limit: Duration = .seconds(2)
    ) throws -> [RunningHost] {
        guard let folder = try manifest.store.open(ReportSocket.folderName) else { return [] }
        ReportSocket.removeDead(in: folder)
        var answers: [Answer] = []
        defer { for answer in answers { close(answer.descriptor) } }
        for entry in try folder.entries() where entry.name.hasSuffix(ReportSocket.suffix) {
            do throws(SystemError) {
                let socket = try LocalSocket(connectingTo: Path.join(folder.ownPath, entry.name))
                guard let peer = socket.peer, peer.user == geteuid() else { continue }
                answers.append(Answer(peer.process, socket.release()))
            } catch  where error.errno == .tryAgain {
                // The socket's name starts with the PID in that process's own namespace.
                let number = entry.name.prefix { $0.isNumber }
                answers.append(Answer(Int32(number) ?? 0, -1))
            } catch {
                // It has ended meanwhile.
            }
        }
        read(&answers, until: .now + limit)
        return answers.compactMap(\.host).sorted { $0.process < $1.process }
    }

    private static func read(_ answers: inout [Answer], until deadline: ContinuousClock.Instant) {
        while true {
            let waiting = answers.indices.filter { !answers[$0].isOver }
            guard !waiting.isEmpty, deadline > .now else { return }
            var sources = waiting.map {
                pollfd(fd: answers[$0].descriptor, events: Int16(POLLIN), revents: 0)
            }
            _ = poll(
                &sources, nfds_t(sources.count), PollTime.milliseconds(until: deadline))
            for (index, source) in zip(waiting, sources) where source.revents != 0 {
                answers[index].read()
            }
        }
    }

    /// The text of one process, as far as it has come.
    private struct Answer {
        let process: Int32
        let descriptor: Int32
        var bytes: [UInt8] = []
        var isOver: Bool
        /// The longest report. Longer replies are rejected.
        private static let limit = 64 << 20

        init(_ process: Int32, _ descriptor: Int32) {
            self.process = process
            self.descriptor = descriptor
            isOver = descriptor < 0
        }

        mutating func read() {
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count > 0 {
                bytes += chunk[..<count]
                if bytes.count > Self.limit { isOver = true }
            } else if count == 0 || errno != EAGAIN && errno != EINTR {
                isOver = true
            }
        }

        /// `nil` for a process that has ended, or has sent something else.
        var host: RunningHost? {
            if descriptor < 0 || !isOver { return .silent(process) }
            return RunningHost(report: bytes, of: process)
        }
    }
}
