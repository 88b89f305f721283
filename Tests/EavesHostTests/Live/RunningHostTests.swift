// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesDiagnostics
import EavesInterface
import EavesLife
import EavesManifest
import EavesProcess
import EavesSystem
import EavesTestSupport
import EavesTrust
import Glibc
import Testing

@testable import EavesHost

@Suite("Running hosts, seen from outside", .onOwnThreads, .patiently, .promptly)
struct RunningHostTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func hosts() throws -> [RunningHost] {
        try RunningHost.survey(of: Manifest.load(folder.file("manifest.json"))).hosts
    }

    /// The sockets in the store.
    private func sockets() throws -> [String] {
        guard folder.has(".eaves/hosts") else { return [] }
        return try OpenFolder(folder.file(".eaves/hosts")).names(startingWith: "")
            .filter { !$0.hasPrefix(".") }
    }

    @Test("offer the generations while they follow, and nothing before and after that")
    func following() async throws {
        let host = try folder.servingHost()
        #expect(try hosts() == [])
        #expect(try sockets() == [])
        do {
            let changes = try host.followedChanges()
            try folder.dropUsers("second")
            #expect(await changes.first { $0.words == "users: draining → serving" } != nil)
            let seen = try #require(try hosts().first)
            #expect(seen.process == getpid())
            #expect(seen.since > 1_700_000_000)
            #expect(seen.program == CommandLine.arguments.map(\.shellWord).joined(separator: " "))
            #expect(seen.generations?.map(\.id) == host.generations.map(\.id))
            #expect(seen.generations?.last?.state == .serving)
            withExtendedLifetime(changes) {}
        }
        try Patience.wait(for: "the end of the socket") { try sockets().isEmpty }
        #expect(try hosts() == [])
    }

    @Test("tell how many objects live, and why a file was refused, word for word")
    func details() async throws {
        try folder.dropUsers("first")
        let host = try folder.host()
        let kept = try host.resolve((any UserService).self)
        let changes = try host.followedChanges()
        try folder.dropUsers("second")
        #expect(await changes.first { $0.words == "users: draining → serving" } != nil)
        try folder.drop(.sample(provides: ["UserService"])) { _ in
            throw FixtureError("the database is gone")
        }
        #expect(await changes.first { $0.words == "users refused" } != nil)
        let seen = try #require(try hosts().first?.generations)
        #expect(seen == host.generations)
        let problems = seen.flatMap(\.problems).map(\.message)
        #expect(problems.contains { $0.contains("the database is gone") }, "\(problems)")
        #expect(host.generations.first?.instances == 1)
        withExtendedLifetime((kept, changes)) {}
    }

    @Test("may be there, and not known, where no host of this user can tell of itself")
    func unknown() throws {
        _ = try folder.host()
        let manifest = try Manifest.load(folder.file("manifest.json"))
        #expect(try RunningHost.survey(of: manifest).unknown == [])
        try? OpenFolder(folder.path).removeTree(".eaves")
        #expect(try RunningHost.survey(of: manifest).unknown == [])
        try folder.write("", to: ".eaves")
        let survey = try RunningHost.survey(of: manifest)
        #expect(survey.hosts == [])
        let log = EventLog()
        let following = try folder.host(tellingTo: log).follow()
        #expect(log.lines.contains { $0.hasPrefix("warned what this host learns") })
        following.end()
        #expect(
            survey.unknown.map(\.message) == [
                "hosts may follow this manifest and cannot be asked: cannot write "
                    + folder.file(".eaves") + ": Not a directory"
            ])
    }

    @Test(
        "of another user may be there, whether or not they let this one connect",
        .enabled(if: geteuid() == 0, "needs root"), arguments: [mode_t(0o755), 0o777])
    func foreign(mode: mode_t) async throws {
        let path = try folder.write(#"{ "manifest": 1 }"#, to: "manifest.json")
        try Files.createFolder(folder.file(".eaves/hosts"))
        let name = folder.file(".eaves/hosts/7.other.sock")
        let socket = try LocalSocket(listeningAt: name)
        try #require(chmod(name, mode) == 0)
        for path in [folder.path, path, folder.file(".eaves"), folder.file(".eaves/hosts")] {
            try #require(chmod(path, 0o700) == 0 && chown(path, OtherUser.id, OtherUser.id) == 0)
        }
        await #expect(processExitsWith: .success) { [path = path as String] in
            try #require(setgid(OtherUser.id) == 0 && setuid(OtherUser.id) == 0)
            let (hosts, unknown) = try RunningHost.survey(of: Manifest.load(path))
            #expect(hosts == [])
            let messages = unknown.map(\.message)
            #expect(messages.first?.hasPrefix("process 7 may follow this") == true, "\(messages)")
        }
        withExtendedLifetime(socket) {}
    }

    @Test("name a process that takes no connections, and remove the sockets of dead ones alone")
    func strange() throws {
        let host = try folder.host()
        let changes = try host.followedChanges()
        let hosts = folder.file(".eaves/hosts")
        let silent = try LocalSocket(listeningAt: Path.join(hosts, "7.silent.sock"))
        // A socket without a listener, as a killed process leaves it.
        _ = try LocalSocket(listeningAt: Path.join(hosts, "1.x.sock"))
        try folder.write("", to: ".eaves/hosts/note")
        let seen = try self.hosts()
        #expect(seen.count == 2)
        #expect(seen.contains { $0.generations == nil && $0.process == getpid() })
        let left = try sockets()
        #expect(left.count == 3 && left.contains("note") && !left.contains("1.x.sock"))
        withExtendedLifetime(changes) {}
        withExtendedLifetime(silent) {}
    }

    @Test("send the ninth of the readers away that have not read all of a report")
    func mostReaders() throws {
        let socket = try ReportSocket(in: Store(of: folder.path, .own)) {
            [UInt8](repeating: 1, count: 1 << 20)
        }
        defer { socket.end() }
        let path = folder.file(".eaves/hosts/\(socket.name)")
        let readers = try (0..<9).map { _ in try LocalSocket(connectingTo: path).release() }
        defer { for reader in readers { close(reader) } }
        for reader in readers {
            #expect(Pipe.isReadable(reader, within: Int32(Patience.seconds) * 1000))
            #expect(Pipe.read(reader, count: 1)?.count == (reader == readers[8] ? 0 : 1))
        }
    }

    @Test("a report with unknown members is read as far as it is known, and no other one")
    func newerReport() throws {
        struct Newer: Encodable {
            let process = 0, program = "p", since = 5, more = ["more"]
            let generations: [HostGeneration]
        }
        let host = try folder.servingHost()
        let newer = try Frame.bytes(of: Newer(generations: host.generations))
        let read = try #require(RunningHost(report: newer, of: 3))
        #expect(read.generations == host.generations && read.process == 3)
        for other in [Array("{}".utf8), [], Array(newer.dropLast())] {
            #expect(RunningHost(report: other, of: 3) == nil)
        }
    }

    @Test("of another version may be there, and is not passed over")
    func otherVersion() throws {
        try folder.write(#"{ "manifest": 1 }"#, to: "manifest.json")
        let socket = try ReportSocket(in: Store(of: folder.path, .own)) { Array("{}".utf8) }
        defer { socket.end() }
        #expect(try hosts() == [.silent(getpid())])
    }
}
