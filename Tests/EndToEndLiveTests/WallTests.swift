// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc
import Testing

@testable import EndToEndSupport

/// A module in a process of its own tries to do what its permissions do not list.
@Suite("the wall around a module in a process of its own", .onOwnThreads)
struct WallTests {
    /// The built modules. Each test has a copy.
    private static let built = Result { try BuiltFixture("Walled") }

    private let folder: TemporaryFolder
    private var eaves: Eaves { Eaves(folder: folder.url, owner: folder) }

    init() throws {
        folder = try Self.built.get().copy()
        try folder.write("a secret", to: "others/secret")
        try folder.write("", to: "others/empty/.keep")
        try FileManager.default.removeItem(
            at: folder.url.appendingPathComponent("others/empty/.keep"))
    }

    private func permit(_ permissions: String) throws {
        try folder.write(
            #"{"manifest": 1, "modules": {"prisoner": {"isolation": "process", "permissions": {\#(permissions)}}}}"#,
            to: "manifest.json")
    }

    private func warden(
        _ steps: String..., options: [String] = [], environment: [String: String] = [:]
    ) throws -> Eaves.Outcome {
        try eaves(["launch"] + options + ["warden"] + steps, environment: environment)
    }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    @Test("stops every way out that the fixture knows")
    func escapes() throws {
        try folder.write(
            #"{"manifest": 1, "modules": {"prisoner": {"isolation": "process"}}}"#,
            to: "manifest.json")
        let outcome = try warden("escape=\(path("others"))")
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.lines.count > 100)
        let refusals = [
            "Operation not permitted", "Permission denied", "Function not implemented",
            "Operation not supported",
            // A machine need not have the device.
            "No such file or directory",
        ]
        for line in outcome.lines {
            #expect(refusals.contains { line.hasSuffix(": \($0)") }, "\(line)")
        }
        let left = try FileManager.default.subpathsOfDirectory(atPath: path("others"))
        #expect(left.sorted() == ["empty", "secret"])
        #expect(try folder.read("others/secret") == "a secret")
    }

    @Test("stands in the documentation, way by way")
    func documented() throws {
        let page = try String(
            contentsOf: Repository.file("Documentation/Internals/Wall.md"), encoding: .utf8)
        let source = try String(
            contentsOf: Repository.file(
                "Tests/Fixtures/Walled/Plugins/Prisoner/escape.c"), encoding: .utf8)
        let ways = source.matches(of: #/ way\("([^"]+)"/#).map { String($0.output.1) }
        #expect(ways.count > 100)
        let told = page.split(whereSeparator: \.isNewline).joined(separator: " ")
        for way in ways { #expect(told.contains(way), "\(way)") }
    }

    @Test("lets through what the permissions list, and nothing beside it")
    func files() throws {
        try permit(#""read": ["others/secret"], "write": ["data", "emptied"]"#)
        try folder.write("x", to: "data/kept")
        try folder.write("x", to: "emptied")
        let outcome = try warden(
            "read=\(path("others/secret"))", "change=\(path("others"))", "change=\(path("data"))",
            "read=\(path("data/kept"))", "read=\(path("manifest.json"))",
            "change=\(path("data/.."))", "empty=\(path("emptied"))",
            "empty=\(path("others/secret"))")
        let denied = "Permission denied"
        #expect(
            outcome.lines
                == ["worked", denied, "worked", "worked", denied, denied, "worked", denied])
        #expect(try folder.read("data/kept") == "x" && folder.read("emptied").isEmpty)
    }

    @Test("gives a folder for temporary files, which goes with the process")
    func temporaryFiles() throws {
        let place = try TemporaryFolder()
        let outcome = try warden(
            "temporary=1", "read=\(place.path)", environment: ["TMPDIR": place.path])
        let folder = try #require(outcome.lines.first)
        #expect(
            folder.hasPrefix(place.path + "/.eaves-worker.") && !folder.contains(","), "\(outcome)")
        #expect(outcome.lines.last == "Permission denied")
        #expect(outcome.errors.isEmpty && outcome.code == 0, "\(outcome)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).isEmpty)
    }

    @Test("ends a process whose temporary files take more than they may")
    func temporaryLimit() throws {
        try folder.write(
            #"{"manifest": 1, "modules": {"prisoner": {"isolation": "process", "limits": {"temporary": "4MB"}}}}"#,
            to: "manifest.json")
        let outcome = try warden("temporary=3", "temporary=5", "strike=pause", "pid")
        #expect(
            outcome.lines.count == 4 && outcome.lines[2].hasPrefix("RemoteCallError"), "\(outcome)")
        #expect(
            outcome.errors.contains(
                "prisoner: warning: has more than 4MB of temporary files, and is ended: "
                    + "'limits.temporary' of the manifest"), "\(outcome)")
    }

    @Test(
        "lets a module change the modes of files that it may write, and shorten them, and no others"
    )
    func modes() throws {
        try permit(#""read": ["others"], "write": ["data"]"#)
        try folder.write("text", to: "data/file")
        try FileManager.default.createSymbolicLink(
            atPath: path("data/link"), withDestinationPath: path("others/secret"))
        let outcome = try warden(
            "mode=\(path("data/file"))", "mode=data/file", "cut=\(path("data/file"))",
            "mode=\(path("others/secret"))", "mode=\(path("data/link"))",
            "cut=\(path("others/secret"))", "mode=\(path("data/none"))",
            "lock=\(path("data/file"))", "lock=\(path("others/secret"))", "unknown")
        let refused = "Operation not permitted"
        #expect(
            outcome.lines == [
                "worked", "worked", "worked", refused, refused, "Permission denied",
                "No such file or directory", "worked", "Permission denied",
                "Function not implemented",
            ], "\(outcome)")
        #expect(try folder.read("data/file") == "te")
        let attributes = try FileManager.default.attributesOfItem(atPath: path("data/file"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let secret = try FileManager.default.attributesOfItem(atPath: path("others/secret"))
        #expect(secret[.posixPermissions] as? Int != 0o600)
        #expect(
            outcome.errors.contains(
                "prisoner: warning: may not change \(path("others/secret")): the "
                    + "manifest's 'permissions' do not list it under 'write'"), "\(outcome)")
    }

    @Test("lets Foundation's functions work as the documentation's table says")
    func foundation() throws {
        try folder.write(
            #"{"manifest": 1, "modules": {"filer": {"isolation": "process", "permissions": {"#
                + #""read": ["others"], "write": ["data"]}}}}"#, to: "manifest.json")
        for place in ["data/old", "others/old"] { try folder.write("text", to: place) }
        let outcome = try eaves("launch", "filer", path("data"), path("others"))
        let page = try String(
            contentsOf: Repository.file("Documentation/Isolation.md"), encoding: .utf8)
        #expect(outcome.code == 0 && outcome.lines.count == 20, "\(outcome)")
        let rows = Set(page.split(separator: "\n").map(String.init))
        for line in outcome.lines { #expect(rows.contains(line)) }
    }

    @Test("names a file of the permissions that is not there", arguments: ["read", "run"])
    func missingFile(permission: String) throws {
        try permit(#""\#(permission)": ["nothing"]"#)
        let outcome = try warden("pid")
        #expect(outcome.code != 0)
        #expect(
            outcome.errors.contains(
                "prisoner: cannot run in a process of its own: its permissions name 'nothing', "
                    + "which is not there"), "\(outcome)")
        #expect(
            outcome.errors.contains(
                "fix: create it, or remove it from the module's 'permissions' in the manifest"))
    }

    @Test(
        "follows no link that a module has put in the place of a permission",
        arguments: [
            #""write": ["data", "data/logs"]"#, #""write": ["data"], "read": ["data/logs"]"#,
        ])
    func relinked(permissions: String) throws {
        try permit(permissions)
        try folder.write("", to: "data/logs/log")
        let steps = ["read=\(path("data/logs/secret"))", "pid"]
        // The messages end the process of the module, and another one takes its place.
        let outcome = try eaves(
            ["launch", "warden", "strike=relink:\(path("data/logs")):\(path("others"))", "say=00"]
                + steps)
        #expect(outcome.lines.first == "0" && !outcome.lines.contains("worked"), "\(outcome)")
        #expect(
            outcome.output.contains(
                "could not be started: cannot open \(path("data/logs")): Too many levels of symbolic links"
            ), "\(outcome)")
        let next = try eaves(["launch", "warden"] + steps)
        #expect(next.code == 78 && next.output.isEmpty, "\(next)")
        #expect(
            next.errors.contains(
                "prisoner: cannot run in a process of its own: its permissions name 'data/logs', and a "
                    + "link on the way can have been put there by a module or by another user"),
            "\(next)")
        #expect(next.errors.contains("fix: remove the link, or name the file itself"), "\(next)")
    }

    @Test("refuses a permission to change what decides about rights")
    func cage() throws {
        try permit(#""write": ["."]"#)
        for command in [["launch", "warden", "pid"], ["validate"]] {
            let outcome = try eaves(command)
            #expect(outcome.code != 0)
            #expect(
                outcome.errors.contains("its permissions let it write '")
                    && outcome.errors.contains("', which decides about the rights of modules"),
                "\(outcome)")
            #expect(
                outcome.errors.contains("fix: give the module a folder of its own, such as 'data'"))
        }
    }

    @Test("says why a process is not started again")
    func vanishedFile() throws {
        try permit(#""read": ["others/secret", "others/pipe"]"#)
        // A call that reads from it waits.
        #expect(mkfifo(path("others/pipe"), 0o600) == 0)
        let host = try LiveEaves(
            "launch", "warden", "pid", "read=\(path("others/pipe"))", "pid", in: folder.url)
        try host.wait(for: "\n")
        let worker = try #require(Int32(host.seen.split(separator: "\n").first ?? ""))
        try FileManager.default.removeItem(atPath: path("others/secret"))
        kill(worker, SIGKILL)
        #expect(try host.finish().code == 0)
        #expect(
            host.seen.contains(
                "RemoteCallError: the process of module 'prisoner' could not be started: cannot open "
                    + "\(path("others/secret")): No such file or directory"), "\(host.seen)")
    }

    @Test("lets a module connect to the addresses that it may, and to no others")
    func connecting() throws {
        let server = try LoopbackListener()
        let other = try LoopbackListener()
        try permit(#""connect": ["127.0.0.1:\#(server.port)"]"#)
        let outcome = try warden(
            "connect=127.0.0.1:\(server.port)", "connect=127.0.0.1:\(other.port)",
            "connect=127.0.0.2:\(server.port)", "listen=127.0.0.1:0", "resolve=localhost",
            "escape=\(path("others"))")
        let denied = "Permission denied"
        #expect(
            Array(outcome.lines.prefix(5)) == ["worked", denied, denied, denied, "not found"],
            "\(outcome)")
        #expect(server.received == "hello\n")
        #expect(
            outcome.errors.contains(
                "prisoner: warning: may not connect to 127.0.0.1:\(other.port): the manifest's "
                    + "'permissions' do not list it"), "\(outcome)")
        // With TCP allowed, no other kind of socket is, and connections stay with the broker.
        let allowed = ["use TCP: worked", "use TCP over IPv6: worked"]
        #expect(outcome.lines.filter { $0.hasSuffix(": worked") } == allowed)
    }

    @Test("tries the addresses of a name without a warning")
    func severalAddresses() throws {
        let server = try LoopbackListener()
        try permit(#""connect": ["localhost:\#(server.port)"], "resolve": true"#)
        let outcome = try warden("resolve=localhost", "connect=127.0.0.1:\(server.port)")
        #expect(outcome.lines == ["found", "worked"] && outcome.errors.isEmpty, "\(outcome)")
    }

    @Test("leaves no connection that waits when the process is gone")
    func waitingConnection() throws {
        let busy = try BusyListener()
        try permit(#""connect": ["127.0.0.1:\#(busy.port)"]"#)
        let host = try LiveEaves(
            "launch", "warden", "pid", "connect=127.0.0.1:\(busy.port)", "pid", "sleep=600000",
            in: folder.url)
        try host.wait(for: "\n")
        let worker = try #require(Int32(host.seen.split(separator: "\n").first ?? ""))
        try Patience.wait(for: "the connection") { try busy.waiting(of: host.process) == 1 }
        kill(worker, SIGKILL)
        try host.wait(for: "RemoteCallError", "\n")
        try Patience.wait(for: "its end") { try busy.waiting(of: host.process) == 0 }
        _ = try host.end(by: SIGKILL)
    }

    @Test("says which system call a container keeps from the host")
    func container() throws {
        try permit(#""connect": ["127.0.0.1:80"]"#)
        let refused = try StrangeKernel(in: folder).run(
            eaves, hiding: "uncopied", ["launch", "warden", "pid"])
        #expect(refused.code == 78 && refused.output.isEmpty, "\(refused)")
        #expect(
            refused.errors.contains("prisoner: cannot call pidfd_getfd: Operation not permitted"),
            "\(refused)")
        #expect(refused.errors.contains("fix: let the container, or "), "\(refused)")
        #expect(!refused.errors.contains("owner and permissions"), "\(refused)")
        try permit(#""write": ["data"]"#)
        try folder.write("x", to: "data/file")
        let goesOn = try StrangeKernel(in: folder).run(
            eaves, hiding: "uncopied", ["launch", "warden", "mode=\(path("data/file"))"])
        #expect(goesOn.lines == ["Function not implemented"], "\(goesOn)")
        #expect(goesOn.errors.contains("changes no modes and times of its files: "), "\(goesOn)")
    }

    @Test("lets a module connect as often as it likes")
    func connectingAgain() throws {
        let port = try FreePort.choose()
        try permit(#""connect": ["127.0.0.1:\#(port)"]"#)
        // More of them than may wait at one time.
        let outcome = try eaves(
            ["launch", "warden"] + Array(repeating: "connect=127.0.0.1:\(port)", count: 70))
        #expect(
            outcome.lines.count == 70 && Set(outcome.lines) == ["Connection refused"], "\(outcome)")
    }

    @Test("lets a module set few options of sockets")
    func options() throws {
        let levels = [Int(SOL_SOCKET), Int(IPPROTO_IP), Int(IPPROTO_IPV6), Int(IPPROTO_TCP)]
        let outcome = try eaves(["launch", "warden"] + levels.map { "strike=options:\($0)" })
        #expect(outcome.lines == ["10", "2", "3", "9"], "\(outcome)")
    }

    @Test("connects the sockets of a child, and not those of the module with the same numbers")
    func connectingChild() throws {
        let server = try LoopbackListener()
        try permit(#""connect": ["127.0.0.1:\#(server.port)"], "run": ["/bin/true"]"#)
        let outcome = try warden("strike=child:127.0.0.1:\(server.port)", "connect=127.0.0.1:1")
        #expect(outcome.lines == ["0", "Permission denied"], "\(outcome)")
        #expect(server.received == "hello\n")
    }

    @Test("lets a module pass no descriptor to its host, and use up no count of them")
    func descriptors() throws {
        let outcome = try warden("strike=pass", "strike=flight", "pid")
        let lines = outcome.lines
        try #require(lines.count == 3, "\(outcome)")
        #expect(
            lines[0].contains("a message brings descriptors, which no message does"), "\(lines)")
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #expect((Int(lines[1]) ?? .max) <= Int(limit.rlim_cur), "\(lines)")
        #expect(Int32(lines[2]) != nil)
    }

    @Test(
        "lets a module take no more of its host's memory than its share",
        arguments: ["1:4000:60000", "132:60000:200"])
    func memory(messages: String) throws {
        func peak(_ steps: String...) throws -> (kilobytes: Int, seen: String) {
            let host = try LiveEaves(
                ["launch", "warden"] + steps + ["sleep=600000"], in: folder.url)
            try host.wait(for: "again")
            let status = try String(contentsOfFile: "/proc/\(host.process)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            let number = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            _ = try host.end(by: SIGKILL)
            return (try #require(number), host.seen)
        }
        let usual = try peak("say=00")
        let attacked = try peak("strike=hoard:\(messages)")
        #expect(attacked.kilobytes - usual.kilobytes < 64 << 10, "\(attacked), usually \(usual)")
    }

    @Test("gives a module no output that it could read or end")
    func output() throws {
        let host = try LiveEaves("launch", "warden", "pid", "sleep=600000", in: folder.url)
        try host.wait(for: "\n")
        let worker = try #require(Int32(host.seen.split(separator: "\n").first ?? ""))
        func link(_ process: Int32, _ output: Int) throws -> String {
            try FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/\(process)/fd/\(output)")
        }
        let own = try [1, 2].map { try link(worker, $0) }
        let hosts = try [1, 2].map { try link(host.process, $0) }
        #expect(own[0] == own[1] && own[0].hasPrefix("pipe:"), "\(own)")
        #expect(Set(own).isDisjoint(with: hosts), "\(own) \(hosts)")
        _ = try host.end(by: SIGKILL)
    }

    @Test("lets a module listen where it may, and nowhere else")
    func listening() throws {
        let port = try FreePort.choose()
        try permit(#""listen": ["127.0.0.1:\#(port)", "127.0.0.9:*"]"#)
        let outcome = try warden(
            "listen=127.0.0.1:\(port)", "listen=0.0.0.0:\(port)", "listen=127.0.0.9:0",
            "listen=127.0.0.1:0", "listen=127.0.0.1:-1", "connect=127.0.0.1:\(port)")
        let denied = "Permission denied"
        #expect(outcome.lines == ["worked", denied, "worked", denied, denied, denied])
    }

    @Test("lets a module run the programs that it may, with its own rights")
    func running() throws {
        try permit(#""run": ["/bin/cat", "/bin/true"]"#)
        let outcome = try warden("run=/bin/true", "run=/bin/ls", "read=\(path("others/secret"))")
        #expect(outcome.lines == ["exit code 0", "Permission denied", "Permission denied"])
        let others = try warden("escape=\(path("others"))").lines
        let own: Set = [
            "make a process: worked", "make a process with fork: worked",
        ]
        // One way starts a program in the place of the module, whose process ends.
        #expect(others.filter { $0.hasSuffix(": worked") }.allSatisfy(own.contains))
    }

    @Test("ends with the programs and processes that it has started")
    func left() throws {
        try permit(#""run": ["/bin/sleep"]"#)
        // The messages end the process of the module.
        let outcome = try warden("leave=/bin/sleep", "leave", "say=00", "pid")
        let lines = outcome.lines
        try #require(lines.count == 4, "\(outcome)")
        #expect(lines[2].hasPrefix("RemoteCallError"))
        for line in lines[...1] + [lines[3]] {
            let process = try #require(Int32(line))
            #expect(process > 1)
            try Patience.wait(for: "the end of \(process)") { kill(process, 0) != 0 }
        }
    }

    @Test("ends with its programs when its host ends, by itself or not", arguments: [true, false])
    func leftByHost(endsByItself: Bool) throws {
        try permit(#""run": ["/bin/sleep"]"#)
        let steps = ["launch", "warden", "leave=/bin/sleep", "leave"]
        let host = try LiveEaves(steps + (endsByItself ? [] : ["sleep=600000"]), in: folder.url)
        for _ in 1...2 { try host.wait(for: "\n") }
        let left = host.seen.split(separator: "\n").compactMap { Int32($0) }
        try #require(left.count == 2, "\(host.seen)")
        if !endsByItself { host.signal(SIGKILL) }
        _ = try host.ending()
        for process in left {
            try Patience.wait(for: "the end of \(process)") { kill(process, 0) != 0 }
        }
    }

    @Test("lets a module have as many processes at one time as it may")
    func processes() throws {
        try folder.write(
            """
            {"manifest": 1, "modules": {"prisoner": {"isolation": "process", \
            "permissions": {"run": ["/bin/sleep", "/bin/true", "/bin/sh"]}, "limits": {"processes": 3}}}}
            """, to: "manifest.json")
        let outcome = try warden(
            "run=/bin/true", "run=/bin/true", "run=/bin/true", "leave=/bin/sleep",
            "leave=/bin/sleep", "leave=/bin/sleep", "run=/bin/true", "bomb=20", "pid")
        #expect(outcome.code == 0)
        let lines = outcome.lines
        try #require(lines.count == 9, "\(outcome)")
        #expect(lines[..<3] == ["exit code 0", "exit code 0", "exit code 0"], "\(lines)")
        let left = lines[3..<6].compactMap { Int32($0) }
        #expect(left.count == 3 && left[0] > 1 && left[1] > 1 && left[2] < 0, "\(lines)")
        #expect(lines[6] == "Resource temporarily unavailable", "\(lines)")
        #expect(lines[7] == "0 of 20", "\(lines)")
        #expect(Int32(lines[8]) != nil)
        #expect(
            outcome.errors.contains(
                "prisoner: warning: may have no more than 3 processes at one time: 'limits.processes' "
                    + "of the manifest"), "\(outcome)")
        for process in left[..<2] {
            try Patience.wait(for: "the end of \(process)") { kill(process, 0) != 0 }
        }
    }

    @Test("is found to have ended although its child holds on to the channel")
    func heldChannel() throws {
        try permit(#""run": ["/bin/sleep"]"#)
        let host = try LiveEaves(
            "launch", "warden", "leave", "pid", "sleep=1000", "pid", in: folder.url)
        for _ in 1...2 { try host.wait(for: "\n") }
        let numbers = host.seen.split(separator: "\n").compactMap { Int32($0) }
        try #require(numbers.count >= 2, "\(host.seen)")
        kill(numbers[1], SIGKILL)
        #expect(try host.finish().code == 0)
        let last = host.seen.split(separator: "\n").compactMap { Int32($0) }.last
        #expect(last != numbers[1], "\(host.seen)")
        try Patience.wait(for: "the end of the child") { kill(numbers[0], 0) != 0 }
    }

    @Test("gives the environment that it may have")
    func environment() throws {
        let variables = ["EAVES_A": "a", "EAVES_B": "b", "HOME": "/home/x"]
        try permit(#""environment": ["EAVES_A"]"#)
        let outcome = try warden(
            "variable=EAVES_A", "variable=EAVES_B", "variable=HOME", "variable=PATH",
            environment: variables)
        #expect(outcome.lines == ["a", "none", "none", "none"])
    }

    @Test(
        "does not understand messages that are made by hand, and the host goes on",
        arguments: [
            ("02ffffff7f", "a message has 2147483647 bytes"),
            ("02080000000101010101010101", "a message has 8 bytes"),
            ("0209000000630000000000000000", "no message of the kind 99"),
            ("020a000000010100000000000000ff", "a message of the kind 'open' is damaged"),
            ("0209000000010100000000000000*20000", "a message of the kind 'open' is damaged"),
            ("00*3000000", "a message has version 0: expected 2"),
        ])
    func forged(_ bytes: String, _ problem: String) throws {
        let outcome = try warden("say=\(bytes)", "pid")
        #expect(outcome.code == 0)
        try #require(outcome.lines.count == 2, "\(outcome)")
        #expect(outcome.lines[0].hasPrefix("RemoteCallError: the process of module 'prisoner'"))
        #expect(outcome.lines[0].contains(problem))
        #expect(Int(outcome.lines[1]) != nil)
        #expect(outcome.errors.contains("prisoner: its process was not understood: "))
    }

    @Test("does not begin where the system has no rules for files, unless that is accepted")
    func unenforced() throws {
        let strange = try StrangeKernel(in: folder)
        let refused = try strange.run(eaves, hiding: "missing", ["launch", "warden", "pid"])
        #expect(refused.code == 78)
        #expect(refused.output.isEmpty)
        #expect(
            refused.errors.contains(
                "prisoner: the system does not take all other rights from its process: files: the system "
                    + "has no Landlock (Function not implemented)"), "\(refused)")
        #expect(refused.errors.contains("--allow-unenforced"))
        let accepted = try strange.run(
            eaves, hiding: "missing",
            ["launch", "--allow-unenforced", "warden", "read=\(path("others/secret"))"])
        #expect(accepted.code == 0)
        #expect(accepted.lines == ["worked"])
        #expect(
            accepted.errors.contains(
                "warning: prisoner: runs although the system does not take all other rights from it: files"
            ),
            "\(accepted)")
    }

    @Test("does not believe a system that only says that it enforces its rules")
    func pretended() throws {
        let strange = try StrangeKernel(in: folder)
        let refused = try strange.run(eaves, hiding: "pretended", ["launch", "warden", "pid"])
        #expect(refused.code == 78)
        for words in [
            "files: a file that it may not read could be opened",
            "files: a file that it may not change could be opened for writing",
        ] {
            #expect(refused.errors.contains(words), "\(refused)")
        }
        #expect(!refused.errors.contains("network:"))
        let unfiltered = try strange.run(eaves, hiding: "unfiltered", ["launch", "warden", "pid"])
        #expect(unfiltered.code == 78)
        for words in [
            "network: a forbidden socket", "processes: a child could be made",
            "processes: a program could be started", "memory: that of the host could be asked for",
        ] {
            #expect(unfiltered.errors.contains(words), "\(unfiltered)")
        }
    }

    @Test("ends with its host, also if the module holds on to the channel")
    func outliving() throws {
        let host = try LiveEaves("launch", "warden", "pid", "sleep=600000", in: folder.url)
        try host.wait(for: "\n")
        let worker = try #require(Int32(host.seen.split(separator: "\n").first ?? ""))
        kill(worker, SIGSTOP)
        _ = try host.end(by: SIGKILL)
        // A process that is stopped could not end by itself.
        try Patience.wait(for: "the end of \(worker)") { kill(worker, 0) != 0 }
    }

    @Test("is told by 'inspect'")
    func inspected() throws {
        try permit(
            #""read": ["others"], "connect": ["*:443"], "resolve": true}, "#
                + #""limits": {"call": "1500ms", "memory": "1024MB", "processes": 3"#
        )
        let outcome = try eaves("inspect", "prisoner")
        #expect(
            outcome.output.contains(
                "limited:   to 1500ms for a call, 1GB of memory, 3 processes\n"),
            "\(outcome)")
        #expect(
            outcome.output.contains(
                "permitted: reading others; connecting to *:443; resolving names\n"), "\(outcome)")
        let json = try eaves("inspect", "--json", "prisoner").output
        #expect(json.contains(#""connect": ["#) && json.contains(#""*:443""#))
    }
}

/// A socket on this machine that takes no further connections: each new one waits.
private final class BusyListener {
    let port: UInt16
    private var sockets: [Int32] = []

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        sockets = [listener]
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        func withAddress(_ body: (UnsafeMutablePointer<sockaddr>) -> Int32) -> Int32 {
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
            }
        }
        guard withAddress({ bind(listener, $0, length) }) == 0, listen(listener, 0) == 0,
            withAddress({ getsockname(listener, $0, &length) }) == 0
        else { throw FixtureError("no port") }
        port = UInt16(bigEndian: address.sin_port)
        // One of them fits into the queue.
        for _ in 0..<4 {
            let client = socket(
                AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            sockets.append(client)
            _ = withAddress { connect(client, $0, length) }
        }
    }

    deinit { for socket in sockets { close(socket) } }

    /// The number of connections of a process here that wait for an answer.
    func waiting(of process: Int32) throws -> Int {
        let open = try Set(
            FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/\(process)/fd/\($0)")
            })
        let table = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
        return table.split(separator: "\n").count { line in
            let words = line.split(separator: " ")
            // The state of a connection that has asked.
            return words.count > 9 && words[2].hasSuffix(":" + String(format: "%04X", Int(port)))
                && words[3] == "02" && open.contains("socket:[\(words[9])]")
        }
    }
}
