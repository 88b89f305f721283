// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesTrust

@Suite("The version of a module")
struct ModuleVersionTests {
    /// From the oldest to the newest.
    private static let inOrder = [
        "0", "0.9", "0.10-1", "0.10", "1.0.0-2", "1.0.0-10", "1.0.0-alpha", "1.0.0-alpha.1",
        "1.0.0-beta.2",
        "1.0.0-beta.11", "1.0.0", "1.0.0.1", "1.2", "1.10", "2.0.0-rc", "2", "18446744073709551616",
        "18446744073709551617", "a", "b",
    ]

    @Test("has the order of Semantic Versioning")
    func order() {
        for (left, older) in Self.inOrder.enumerated() {
            for (right, newer) in Self.inOrder.enumerated() {
                #expect(
                    ModuleVersion(older).isOlder(than: ModuleVersion(newer)) == (left < right),
                    "\(older), \(newer)")
            }
        }
    }

    @Test(
        "is not older than another spelling of the same",
        arguments: [("1", "1.0.0"), ("1.0+5", "1.0+6"), ("01.2", "1.02"), ("1.0-a", "1-a+x")])
    func equal(left: String, right: String) {
        #expect(!ModuleVersion(left).isOlder(than: ModuleVersion(right)))
        #expect(!ModuleVersion(right).isOlder(than: ModuleVersion(left)))
    }
}

@Suite("The accepted versions")
struct AcceptedVersionsTests {
    private let folder: TemporaryFolder
    private let versions: AcceptedVersions

    init() throws {
        folder = try TemporaryFolder()
        versions = AcceptedVersions(in: Store(of: folder.path, .own))
    }

    private func newest(_ id: String) -> Result<String?, VersionError> {
        Result { () throws(VersionError) in try versions.newest(of: id)?.text }
    }

    @Test("remember the newest of each module, in a file that only its owner can read")
    func newest() throws {
        #expect(newest("users") == .success(nil))
        for version in ["1.0", "3.0", "2.0"] {
            try versions.accept(ModuleVersion(version), of: "users")
        }
        try versions.accept(ModuleVersion("0.1"), of: "home")
        #expect(newest("users") == .success("3.0"))
        #expect(newest("home") == .success("0.1"))
        let status = try FileStatus(link: folder.file(".eaves/accepted.json"))
        #expect(status.mode & 0o777 == 0o600)
    }

    @Test("lose none of those that are accepted at once")
    func together() async throws {
        let versions = versions
        try await withThrowingTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    try versions.accept(ModuleVersion("\(number)"), of: "module-\(number % 8)")
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<8 { #expect(newest("module-\(number)") == .success("\(32 + number)")) }
    }

    @Test("that are a link, or that others can write, do not count")
    func untrusted() throws {
        try versions.accept(ModuleVersion("2"), of: "users")
        let path = folder.file(".eaves/accepted.json")
        try Files.setMode(0o622, of: path)
        guard case .failure(.store(.untrusted(.writable))) = newest("users") else {
            Issue.record("\(newest("users"))")
            return
        }
        try Files.setMode(0o600, of: path)
        try folder.write(#"{"accepted": 1, "modules": {}}"#, to: "elsewhere.json")
        try Files.remove(path)
        try folder.link(".eaves/accepted.json", to: folder.file("elsewhere.json"))
        guard case .failure = newest("users") else {
            Issue.record("a link was followed")
            return
        }
    }

    @Test(
        "that something else has written are no empty list",
        arguments: [
            "", "{}", "[]", #"{"accepted": 2, "modules": {}}"#, #"{"accepted": 1, "modules": []}"#,
            #"{"accepted": 1, "modules": {"users": 1}}"#,
        ])
    func damaged(text: String) throws {
        try versions.accept(ModuleVersion("2"), of: "users")
        try folder.write(text, to: ".eaves/accepted.json")
        let path = folder.file(".eaves/accepted.json")
        #expect(newest("users") == .failure(.damaged(path)))
        #expect(throws: VersionError.damaged(path)) {
            try versions.accept(ModuleVersion("3"), of: "users")
        }
        #expect(try folder.read(".eaves/accepted.json") == text)
    }
}
