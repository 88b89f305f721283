// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import EavesTrust
import Glibc
import Testing

@Suite("The gate")
struct TrustGateTests {
    private let folder: TemporaryFolder
    private let manifest: String

    init() throws {
        folder = try TemporaryFolder()
        manifest = try folder.write("text", to: "project/manifest.json")
    }

    /// The text behind the gate.
    private func pass() throws -> String {
        let gate = try TrustGate.open(manifest)
        return String(decoding: try gate.manifest.bytes(at: 0, count: 100), as: UTF8.self)
    }

    private func error() -> TrustError? {
        do {
            _ = try pass()
            return nil
        } catch ConsentError.place(.untrusted(let error)) {
            return error
        } catch {
            Issue.record(error)
            return nil
        }
    }

    @Test("lets one's own manifest pass, and nobody's that others can change")
    func modes() throws {
        #expect(try pass() == "text")
        for name in ["project/manifest.json", "project", "."] {
            let path = folder.file(name)
            let mode = try FileStatus(path: path).mode
            try Files.setMode(mode | 0o002, of: path)
            guard case .writable = error() else {
                Issue.record("\(name) passed")
                continue
            }
            try Files.setMode(mode, of: path)
        }
        #expect(try pass() == "text")
    }

    @Test("refuses a missing manifest as an error of its own")
    func missing() throws {
        try Files.remove(manifest)
        guard case .unresolved(_, let reason) = error() else {
            Issue.record("a missing manifest passed")
            return
        }
        #expect(reason.errno == .noSuchFile)
    }

    @Test(
        "refuses another user's manifest, also in a folder with the sticky bit, and says how to consent",
        .enabled(if: geteuid() == 0, "needs root"))
    func foreign() throws {
        try Files.setMode(0o1777, of: folder.file("project"))
        try #require(chown(manifest, 54321, 54321) == 0)
        // The folder can be changed by all users, so consent would not help.
        guard case .writable = error() else {
            Issue.record("a file in a folder of all users passed")
            return
        }
        try Files.setMode(0o755, of: folder.file("project"))
        guard case .foreignProject(_, owner: 54321, let project) = error() else {
            Issue.record("another user's manifest passed")
            return
        }
        #expect(project == folder.file("project"))
        let diagnostic = try #require(error()).diagnostic
        #expect(diagnostic.fix?.contains("run 'eaves trust \(project)'") == true)
        #expect(diagnostic.code == .untrusted)
    }
}

@Suite("Consent")
struct ConsentTests {
    private let folder: TemporaryFolder
    private let list: ConsentList

    init() throws {
        folder = try TemporaryFolder()
        list = ConsentList(in: folder.file("config/eaves"))
    }

    private func consent(_ path: String, _ owner: UInt32 = 7) -> Consent {
        Consent(folder: path, owner: owner)
    }

    @Test("is kept in a file, which is created when it is first needed")
    func keeps() throws {
        #expect(try list.consents() == [])
        try list.update { $0.append(consent("/a")) }
        try list.update { $0.append(consent("/b", 8)) }
        #expect(try list.consents() == [consent("/a"), consent("/b", 8)])
        try list.update { $0.removeAll { $0.folder == "/a" } }
        #expect(try list.consents() == [consent("/b", 8)])
    }

    @Test(
        "covers the folder and what is in it, while the same user owns it",
        arguments: [
            ("/a/b", 7, true), ("/a/b/c/d", 7, true), ("/a/bc", 7, false), ("/a", 7, false),
            ("/a/b", 8, false),
        ] as [(String, UInt32, Bool)])
    func covers(path: String, owner: UInt32, isCovered: Bool) {
        #expect(consent("/a/b").covers(path, of: owner) == isCovered)
    }

    @Test("does not count in a list that others can change")
    func untrusted() throws {
        try list.update { $0.append(consent("/a")) }
        try Files.setMode(0o666, of: list.path)
        #expect {
            _ = try list.consents()
        } throws: { error in
            guard case ConsentError.place(.untrusted(.writable(let place, _, _))) = error else {
                return false
            }
            let words = TrustError.writable(place, mode: 0o666, group: 0).diagnostic.message
            return place == TrustPlace(list.path, .consents)
                && words.contains("expected a list of trusted folders")
        }
    }

    @Test(
        "does not count in a damaged list, which is not overwritten",
        arguments: [
            "", "{}", #"{ "trusted": 2, "folders": [] }"#, #"{ "trusted": 1 }"#,
            #"{ "trusted": 1, "folders": [{ "folder": "relative", "owner": 1 }] }"#,
            #"{ "trusted": 1, "folders": [{ "folder": "/a", "owner": -1 }] }"#,
            #"{ "trusted": 1, "folders": [{ "folder": "/a" }] }"#,
        ])
    func damaged(text: String) throws {
        try folder.write(text, to: "config/eaves/trusted.json")
        #expect(throws: ConsentError.damaged(list.path)) { try list.consents() }
        #expect(throws: ConsentError.damaged(list.path)) { try list.update { $0 = [] } }
        #expect(try folder.read("config/eaves/trusted.json") == text)
    }

    @Test("two processes' changes at the same time are both kept")
    func concurrent() async throws {
        let list = list
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<UInt32(20) {
                group.addTask {
                    try list.update { $0.append(Consent(folder: "/a", owner: number)) }
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(try list.consents().map(\.owner)) == Set(0..<20))
    }
}
