// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import EavesTrust
import Glibc
import Testing

/// Another user changes files in the moments between the steps of a check. In a soak, each race runs a thousand
/// times; one success would be one too many.
@Suite("Races with another user", .serialized, .enabled(if: geteuid() == 0, "needs root"))
struct RaceTests {
    private static let rounds = Soak.rounds(1_000)
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        // All users can create files in it, and remove only their own, as in /tmp.
        try folder.createFolder("shared")
        try Files.setMode(0o1777, of: folder.file("shared"))
    }

    /// The texts that the gate let through, with the number of refusals.
    private func pass(_ path: String, times: Int) -> (texts: Set<String>, refusals: Int) {
        var texts: Set<String> = []
        var refusals = 0
        for _ in 0..<times {
            do {
                let gate = try TrustGate.open(path)
                let bytes = try gate.manifest.bytes(at: 0, count: 100)
                texts.insert(String(decoding: bytes, as: UTF8.self))
            } catch {
                refusals += 1
            }
        }
        return (texts, refusals)
    }

    @Test("a manifest that its owner unlinks and writes again never passes")
    func unlinked() throws {
        let attacker = folder.file("shared/attacker")
        let manifest = Path.join(attacker, "manifest.json")
        try OtherUser.run { mkdir(attacker, 0o755) }
        try OtherUser.attacking {
            let file = open(manifest, O_WRONLY | O_CREAT, 0o644)
            write(file, "evil", 4)
            close(file)
            return unlink(manifest) == 0
        } while: {
            let result = pass(manifest, times: Self.rounds)
            #expect(result.texts == [] && result.refusals == Self.rounds)
        }
    }

    @Test("a folder that is exchanged with a link to a trusted folder never leads anywhere else")
    func exchangedFolder() throws {
        try folder.write("good", to: "mine/manifest.json")
        let (mine, name, link) =
            (folder.file("mine"), folder.file("shared/project"), folder.file("shared/link"))
        try OtherUser.run {
            mkdir(name, 0o755)
            let file = open(Path.join(name, "manifest.json"), O_WRONLY | O_CREAT, 0o644)
            write(file, "evil", 4)
            close(file)
            symlink(mine, link)
        }
        try #require(FileStatus(path: Path.join(name, "manifest.json")).owner == OtherUser.id)
        try OtherUser.attacking {
            OtherUser.exchange(name, link)
        } while: {
            let result = pass(Path.join(name, "manifest.json"), times: Self.rounds)
            #expect(result.texts == [], "a link of another user counts as little as a folder")
        }
    }

    @Test("a file that is exchanged with a folder or a pipe is refused, and nobody waits for it")
    func exchangedFile() throws {
        let (name, other) = (folder.file("shared/file"), folder.file("shared/other"))
        try OtherUser.run {
            close(open(name, O_WRONLY | O_CREAT, 0o644))
            mkfifo(other, 0o666)
        }
        let check = TrustCheck.own
        try OtherUser.attacking {
            OtherUser.exchange(name, other)
        } while: {
            for _ in 0..<Self.rounds {
                #expect(throws: TrustError.self) {
                    _ = try check.openFile(TrustPlace(name, .module))
                }
            }
        }
    }

    @Test("one's own file passes all the time, while another user changes what is next to it")
    func bystander() throws {
        try folder.write("good", to: "shared/mine/manifest.json")
        let (name, other) = (folder.file("shared/a"), folder.file("shared/b"))
        let mine = folder.file("shared/mine")
        try OtherUser.run {
            mkdir(name, 0o777)
            symlink("a", other)
        }
        try OtherUser.attacking {
            // The sticky bit keeps other users from this one.
            _ = OtherUser.exchange(name, mine)
            return OtherUser.exchange(name, other)
        } while: {
            let result = pass(Path.join(mine, "manifest.json"), times: Self.rounds)
            #expect(result.texts == ["good"] && result.refusals == 0)
        }
    }
}
