// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesChild
import EavesDeclaration
import EavesIsolation
import EavesManifest
import EavesProcess
import EavesRules
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesVerify

@Suite("The process of a probe", .onOwnThreads, .patiently)
struct ProbeProcessTests {
    private func run(_ script: String, limit: Duration = Patience.limit) throws -> ProbeOutcome {
        try ProbeProcess.run(nil, limit: limit, as: ChildCommand("/bin/sh", ["-c", script]))
    }

    @Test("collects what the probe prints, what it reports, and how it ends")
    func collects() throws {
        let outcome = try run("echo printed; echo error >&2; echo crash 11 >&4; kill -SEGV $$")
        #expect(String(decoding: outcome.output, as: UTF8.self) == "printed\nerror\n")
        #expect(outcome.crash.lines == ["crash 11"])
        #expect(outcome.end.ending == .signalled(SIGSEGV))
        #expect(!outcome.isOverdue)
    }

    /// The process that is left behind is the only one that holds the pipe open for writing: its
    /// reader sees the end as soon as that process is gone.
    @Test("leaves no process behind that the probe has started")
    func outliving() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let reader = try OpenFile(reading: path)
        let outcome = try run("exec 5>\(path); (echo started >&5; exec sleep 600) & exit 3")
        #expect(outcome.end.ending == .exited(3))
        var isAtEnd = false
        while !isAtEnd, Pipe.isReadable(reader.descriptor, within: Patience.milliseconds) {
            isAtEnd = Pipe.read(reader.descriptor, count: 100) == []
        }
        #expect(isAtEnd)
    }

    @Test("ends a probe in time that hangs, or that has closed its pipe and goes on")
    func overdue() throws {
        for script in ["sleep 600", "exec 3>&-; sleep 600"] {
            let outcome = try run(script, limit: .milliseconds(50))
            #expect(outcome.isOverdue)
        }
    }
}

@Suite("the request to the probe", .onOwnThreads)
struct ProbeRequestTests {
    private func request(sha256: String?, feature: String?) -> ProbeRequest {
        var entry = CatalogEntry(id: "a", path: "Plugins/a \"b\".so", file: "/x/Plugins/a.so")
        entry.sha256 = sha256
        let host = HostProfile(
            abi: 1, interface: InterfaceVersion(major: 1, minor: 0), compiler: "6.3")
        let module = InspectedModule(entry, among: nil, in: nil, host: host)
        return ProbeRequest(module, checks: ["loads", "registers"], feature: feature)
    }

    @Test("is understood as it was sent")
    func roundTrip() throws {
        func copy(_ request: ProbeRequest) throws -> ProbeRequest {
            let content = try Frame.bytes(of: request).dropFirst(Frame.headSize)
            return try Frame.value(ProbeRequest.self, in: content)
        }
        for sent in [request(sha256: nil, feature: nil), request(sha256: "00", feature: "rain")] {
            #expect(try copy(sent) == sent)
        }
        #expect(request(sha256: "00", feature: nil).sha256 == "00")
        #expect(request(sha256: nil, feature: "rain").feature == "rain")
        var walled = request(sha256: nil, feature: nil)
        walled.permissions = Permissions()
        walled.permissions?.read = ["/data"]
        walled.permissions?.connect = [try #require(NetworkEndpoint("127.0.0.1:80"))]
        #expect(try copy(walled) == walled)
    }
}
