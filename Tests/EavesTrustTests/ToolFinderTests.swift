// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import EavesTrust
import Glibc
import Testing

@Suite("A program that Eaves runs")
struct ToolFinderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func find(_ name: String = "tool", in path: String) throws(ToolError) -> String {
        try ToolFinder(searchPath: path).find(name)
    }

    @Test("is looked for in the absolute entries of PATH alone, which are split at bytes")
    func entries() {
        let finder = ToolFinder(searchPath: ":bin:/usr/bin::./x:/a\u{301}:\u{301}/b:~/bin:/c:")
        #expect(finder.folders == ["/usr/bin", "/a\u{301}", "/c"])
        #expect(finder.searchPath == "/usr/bin:/a\u{301}:/c")
        #expect(ToolFinder(searchPath: nil).folders == [])
    }

    @Test("is the first one that can be run")
    func first() throws {
        try folder.write("", to: "plain/tool")
        let tool = try folder.write("", to: "first/tool", mode: 0o755)
        try folder.write("", to: "second/tool", mode: 0o755)
        let path = ["none", "plain", "first", "second"].map(folder.file).chained(by: ":")
        #expect(try find(in: path) == tool)
        #expect(try find(tool, in: "") == tool)
        #expect(throws: ToolError.missing("tool")) { try find(in: folder.file("plain")) }
    }

    @Test("is refused if others can change it, and no other one is taken in its place")
    func writable() throws {
        let tool = try folder.write("", to: "a/b/tool", mode: 0o755)
        let good = try folder.write("", to: "good/tool", mode: 0o755)
        let path = "\(folder.file("a/b")):\(folder.file("good"))"
        for name in ["a", "a/b", "a/b/tool"] {
            try Files.setMode(0o777, of: folder.file(name))
            for (name, path) in [("tool", path), (tool, "")] {
                let error = #expect(throws: ToolError.self) { try find(name, in: path) }
                guard case .untrusted(.writable) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            }
            try Files.setMode(0o755, of: folder.file(name))
        }
        #expect(try find(in: path) == tool)
        // A folder without the program decides nothing.
        try Files.remove(tool)
        try Files.setMode(0o777, of: folder.file("a"))
        #expect(try find(in: path) == good)
    }

    @Test("is refused if it belongs to another user", .enabled(if: geteuid() == 0, "needs root"))
    func owner() throws {
        let tool = try folder.write("", to: "bin/tool", mode: 0o755)
        for path in [tool, folder.file("bin")] {
            #expect(chown(path, OtherUser.id, OtherUser.id) == 0)
            let error = #expect(throws: ToolError.self) { try find(in: folder.file("bin")) }
            guard case .untrusted(.owner(_, OtherUser.id)) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(chown(path, 0, 0) == 0)
        }
    }

    /// Each round, a look at the program finds it refused or finds root's, never the other user's.
    @Test("cannot be exchanged by another user", .enabled(if: geteuid() == 0, "needs root"))
    func race() throws {
        let good = try folder.write("good", to: "good/tool", mode: 0o755)
        let shared = folder.file("shared")
        try Files.createFolder(shared)
        try Files.setMode(0o777, of: shared)
        let evil = Path.join(shared, "evil")
        try OtherUser.run {
            mkdir(evil, 0o755)
            close(open(evil + "/tool", O_CREAT | O_WRONLY, 0o755))
            symlink(Path.parent(of: good), shared + "/bin")
        }
        try OtherUser.attacking {
            OtherUser.exchange(shared + "/bin", shared + "/evil")
        } while: {
            for _ in 0..<Soak.rounds(1_000) {
                #expect(throws: ToolError.self) { try find(in: shared + "/bin") }
            }
        }
    }
}
