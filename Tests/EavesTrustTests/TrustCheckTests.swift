// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import EavesTrust
import Testing

@Suite("The files that a trust check looks at")
struct TrustCheckTests {
    private let folder: TemporaryFolder
    private let root: String
    private let check = TrustCheck.own

    init() throws {
        folder = try TemporaryFolder()
        root = try #require(Files.resolved(folder.path))
    }

    private func path(_ name: String) -> String { Path.join(root, name) }

    @Test(
        "a link that leads to a file outside of all directories, however much like one it is named")
    func escape() throws {
        for name in ["Plugins/in.so", "Plugins/deep/in.so", "More/in.so", "Plugins-old/out.so"] {
            try folder.write("module", to: name)
        }
        try folder.write("module", to: "out.so")
        let directories = [path("Plugins"), path("More")]
        func error(linkTo target: String) throws -> TrustError? {
            let link = path("Plugins/link.so")
            try Files.remove(link)
            try folder.link("Plugins/link.so", to: target)
            return TrustCheck.error(ofLink: link, leadingOutOf: directories)
        }
        for target in ["in.so", "deep/in.so", "../More/in.so", path("More/in.so")] {
            #expect(try error(linkTo: target) == nil, "\(target)")
        }
        for target in ["../out.so", "../Plugins-old/out.so", path("out.so"), ".."] {
            let real = try #require(Files.resolved(Path.join(path("Plugins"), target)))
            #expect(
                try error(linkTo: target)
                    == .escapes(link: path("Plugins/link.so"), target: real), "\(target)")
        }
        #expect(try error(linkTo: "nowhere") == nil)
    }
}
