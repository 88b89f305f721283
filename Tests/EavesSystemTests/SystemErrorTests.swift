// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesSystem
import EavesTestSupport
import Testing

@Suite("A system call that failed", .onOwnThreads)
struct SystemErrorTests {
    @Test(
        "leads to the folder where a name cannot be made or removed, and else to the file",
        arguments: [
            (SystemError.Action.create, "Plugins/hi.so", "Plugins"),
            (.rename, "/a b/c", "\"/a b\""),
            (.remove, "c", "."), (.write, "Plugins/hi.so", "Plugins/hi.so"),
        ])
    func permissions(action: SystemError.Action, path: String, place: String) {
        let diagnostic = SystemError(action, path, .permissionDenied).diagnostics[0]
        #expect(diagnostic.fix == "check the owner and permissions of \(place)")
    }

    @Test("says how a process may open more files, whatever it was about to do")
    func openFiles() {
        for action in [SystemError.Action.read, .create, .run, .watch] {
            let diagnostic = SystemError(action, "a", .tooManyOpenFiles).diagnostics[0]
            #expect(diagnostic.fix?.hasSuffix("that a process can open: 'ulimit -n'") == true)
        }
    }

    @Test("says that a file is a mount point where no other file can get its name")
    func mountPoint() {
        let diagnostic = SystemError(.rename, "/etc/app/manifest.json", .busy).diagnostic
        #expect(
            diagnostic.message
                == "cannot rename /etc/app/manifest.json: it is a mount point, which no other file can replace"
        )
        #expect(diagnostic.fix?.hasPrefix("mount the folder that holds it") == true)
        #expect(SystemError(.remove, "a", .busy).diagnostic.fix == nil)
    }

    @Test("says that a name is not UTF-8 where that is why there is no file of that name")
    func name() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: SystemError.self) {
            try FileStatus(path: Path.join(folder.path, "a\u{FFFD}/b"))
        }
        #expect(error?.errno == .nameIsNotText)
        #expect(error?.errno.meansMissing == false)
        let diagnostic = try #require(error?.diagnostics.first)
        #expect(diagnostic.message.hasSuffix("a\u{FFFD}/b: its name is not UTF-8"))
        #expect(diagnostic.fix == "give it a name in UTF-8")
        // A name with that very character is as good as any other.
        let path = Path.join(folder.path, "a\u{FFFD}")
        try Files.replace(path, with: [1])
        #expect(try Files.read(path) == [1])
        #expect(SystemError(.read, "a", .noSuchFile).errno == .noSuchFile)
    }
}
