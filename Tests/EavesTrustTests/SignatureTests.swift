// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesDiagnostics
import EavesProcess
import EavesSystem
import EavesTestSupport
import Testing

@testable import EavesTrust

@Suite("The words of signature errors")
struct SignatureErrorTests {
    private static let signature = Path.join(Path.current, "Plugins/users.so.sig")
    private static let signers = Path.join(Path.current, "allowed_signers")

    @Test(
        "say what is wrong and what to do, with an exit code",
        arguments: [
            (
                .missing(signature), "expected a signature in 'Plugins/users.so.sig', found none",
                "sign it with 'eaves sign Plugins/users.so', or get its '.sig' from its author",
                .untrusted
            ),
            (
                .bad(signature, words: "one\ntwo\n"),
                "its signature is not valid: 'one; two' ('Plugins/users.so.sig')",
                "put back the module that was signed, or sign this one with "
                    + "'eaves sign Plugins/users.so'", .untrusted
            ),
            (
                .unknownSigner(key: "ED25519 key SHA256:x", signers: signers, words: ""),
                "signed with the ED25519 key SHA256:x, which 'allowed_signers' does not allow",
                "if you trust that key, add it to 'allowed_signers' as ssh-keygen(1) says under "
                    + "ALLOWED SIGNERS", .untrusted
            ),
            (
                .unknownSigner(key: "k", signers: signers, words: "odd\n"),
                "signed with the k, which 'allowed_signers' does not allow: 'odd'",
                "if you trust that key, add it to 'allowed_signers' as ssh-keygen(1) says under "
                    + "ALLOWED SIGNERS", .untrusted
            ),
            (
                .otherIDs(
                    Signer(name: "bob", key: "k"), "billing", may: ["users-*", "x"],
                    others: ["alice"]),
                "expected a signer whom 'signers' in the manifest allows for 'billing' (alice), found "
                    + "bob with the k, who may sign users-*, x",
                "put the module back that was there; if bob may sign it, add 'billing' to signers.'bob' "
                    + "in the manifest", .untrusted
            ),
            (
                .noSigners(SystemError(.open, signers, .noSuchFile)),
                "cannot tell whose signatures count: cannot open 'allowed_signers': "
                    + "No such file or directory",
                "write the allowed keys into 'allowed_signers' as ssh-keygen(1) says under "
                    + "ALLOWED SIGNERS", .untrusted
            ),
            (
                .revoked(
                    key: "ED25519 key SHA256:x", list: Path.join(Path.current, "revoked_keys")),
                "signed with the ED25519 key SHA256:x, which 'revoked_keys' revokes",
                "sign it with another key; if the list lacks that key, it is damaged: "
                    + "write it anew as ssh-keygen(1) says under KEY REVOCATION LISTS "
                    + "('revoked_keys')", .untrusted
            ),
            (
                .noManifest, "no manifest says whose signatures count",
                "name one with '--manifest PATH'", .untrusted
            ),
            (
                .cannotCheck(SystemError(.run, "ssh-keygen", .noSuchFile)),
                "cannot check its signature: cannot run 'ssh-keygen': No such file or directory",
                "install OpenSSH's client (Debian: 'openssh-client')", .untrusted
            ),
            (
                .noKey(folder: "/home/me/.ssh"),
                "there is no key to sign with in '/home/me/.ssh'",
                "name one with '--key KEYFILE', or make one with 'ssh-keygen -t ed25519'",
                .notFound
            ),
            (
                .refused(key: signers, words: "no key\n"),
                "cannot sign with 'allowed_signers': 'no key'",
                "name a private key, or a public key whose private key the SSH agent holds",
                .badData
            ),
            (
                .cannotSign(SystemError(.run, "ssh-keygen", .noSuchFile)),
                "cannot run 'ssh-keygen': No such file or directory",
                "install OpenSSH's client (Debian: 'openssh-client')", .notFound
            ),
        ] as [(SignatureError, String, String, FailureCode)])
    func words(error: SignatureError, message: String, fix: String, code: FailureCode) {
        #expect(error.diagnostics == [Diagnostic(message, fix: fix, code: code)])
    }

    @Test("are those of the error behind it where there is one")
    func behind() {
        let trust = TrustError.owner(TrustPlace(Self.signers, .allowedSigners), 54321)
        #expect(SignatureError.place(.untrusted(trust)).diagnostics == [trust.diagnostic])
        let system = SystemError(.write, "/a", .readOnly)
        #expect(SignatureError.place(.system(system)).diagnostics == system.diagnostics)
    }
}

@Suite("The environment of 'ssh-keygen'")
struct SSHKeygenTests {
    private static let environment = Environment([
        "PATH=/bin", "HOME=/home/me", "SSH_AUTH_SOCK=/agent", "LC_ALL=de_DE", "LD_PRELOAD=/odd.so",
        "SSH_SK_PROVIDER=/odd.so",
    ])

    @Test("is the search path when it checks, and leads to an agent when it signs")
    func variables() {
        let names = [
            "PATH", "LC_ALL", "HOME", "SSH_AUTH_SOCK", "LD_PRELOAD", "SSH_SK_PROVIDER", "TERM",
        ]
        let checking = SSHKeygen.environment(of: Self.environment, mayAsk: false)
        #expect(names.map { checking[$0] } == ["/bin", "C", nil, nil, nil, nil, nil])
        let signing = SSHKeygen.environment(of: Self.environment, mayAsk: true)
        #expect(
            names.map { signing[$0] } == ["/bin", "C", "/home/me", "/agent", nil, nil, nil])
    }
}

@Suite("Signing and checking", .enabled(if: Keys.isPossible, "needs OpenSSH's 'ssh-keygen'"))
struct SignatureTests {
    private let folder: TemporaryFolder
    private let module: String

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(#"{ "manifest": 1, "signatures": "required" }"#, to: "manifest.json")
        module = try folder.write("module", to: "users.so")
        try Keys.make("key", in: folder)
        try allow("alice@example.com")
    }

    private func allow(_ signer: String, _ key: String = "key") throws {
        let half = try folder.read(key + ".pub")
        try folder.write("\(signer) \(half)", to: "allowed_signers")
    }

    private func sign(_ key: String = "key") throws -> String {
        try SigningKey(folder.file(key)).sign(module)
    }

    private func signer(
        outside: [String] = [], isNamed: Bool = false, revokedKeys: String? = nil,
        ids: [String: [String]]? = nil
    ) -> Result<Signer, SignatureError> {
        let lists = SignerLists(
            project: folder.file("allowed_signers"), isNamed: isNamed,
            revokedKeys: revokedKeys.map(folder.file), ids: ids, .own,
            outside: outside.map(folder.file))
        return Result { () throws(SignatureError) in
            try SignatureCheck(lists).signer(
                of: module, by: module + SignatureCheck.suffix, for: "users-v2")
        }
    }

    /// Expects an error that only its case tells.
    private func expectFailure(
        _ result: Result<Signer, SignatureError>, sourceLocation: SourceLocation = #_sourceLocation,
        _ isExpected: (SignatureError) -> Bool
    ) {
        if case .failure(let error) = result, isExpected(error) { return }
        Issue.record("\(result)", sourceLocation: sourceLocation)
    }

    private func revoke(_ key: String, in list: String, _ isKRL: Bool) throws {
        let half = try folder.read(key + ".pub")
        try folder.write(half, to: list)
        guard isKRL else { return }
        let file = folder.file(list)
        let made = try ChildPool.run(
            ChildCommand("ssh-keygen", ["-q", "-k", "-f", file, folder.file(key + ".pub")]))
        guard made.ending.isSuccess else {
            throw FixtureError(String(decoding: made.output, as: UTF8.self))
        }
    }

    @Test("names the signer of bytes that an allowed key signed")
    func signed() throws {
        #expect(signer() == .failure(.missing(module + ".sig")))
        #expect(try sign() == module + ".sig")
        let signer = try signer().get()
        #expect(signer.name == "alice@example.com")
        #expect(signer.key.hasPrefix("ED25519 key SHA256:"))
        // The first of several names.
        try allow("bob@example.com,alice@example.com")
        #expect(try self.signer().get().name == "bob@example.com")
    }

    @Test(
        "a signer who is bound to ids signs no other ones",
        arguments: [
            (["alice": ["x", "users-*"]], true), (["alice": ["*"]], true),
            (["alice": ["users-v2"]], true), (["alice": ["users"]], false),
            (["alice": ["*-v3", "v*"]], false), (["alice": []], false),
            (["bob": ["*"]], false), ([:], false),
        ])
    func ids(signers: [String: [String]], isAllowed: Bool) throws {
        try allow("alice")
        _ = try sign()
        let result = signer(ids: signers)
        if isAllowed { return #expect(try result.get().name == "alice") }
        let others = signers.keys.filter { $0 != "alice" }
        expectFailure(result) {
            guard case .otherIDs(let signer, "users-v2", let may, others) = $0 else {
                return false
            }
            return signer.name == "alice" && may == signers["alice"] ?? []
        }
    }

    @Test("other bytes, and other bytes in the signature, do not count")
    func changed() throws {
        let signature = try sign()
        try folder.write("Module", to: "users.so")
        expectFailure(signer()) { if case .bad(signature, _) = $0 { true } else { false } }
        try folder.write("module", to: "users.so")
        #expect(try signer().get().name == "alice@example.com")
        try folder.write("no signature", to: "users.so.sig")
        expectFailure(signer()) { if case .bad(signature, _) = $0 { true } else { false } }
    }

    @Test("a key that the list lacks, or has for another purpose, does not count")
    func otherKeys() throws {
        _ = try sign()
        let key = try signer().get().key
        try Keys.make("other", in: folder)
        try allow("bob@example.com", "other")
        let signers = folder.file("allowed_signers")
        #expect(signer() == .failure(.unknownSigner(key: key, signers: signers, words: "")))
        try allow("alice@example.com namespaces=\"git\"")
        expectFailure(signer()) { _ in true }
        try allow("alice@example.com namespaces=\"eaves\"")
        #expect(try signer().get().name == "alice@example.com")
    }

    @Test("a list that is missing or that others can write is refused before anything is run")
    func signers() throws {
        _ = try sign()
        let path = folder.file("allowed_signers")
        try Files.setMode(0o666, of: path)
        expectFailure(signer()) {
            if case .place(.untrusted(.writable(TrustPlace(path, .allowedSigners), _, _))) = $0 {
                true
            } else {
                false
            }
        }
        try Files.remove(path)
        #expect(signer() == .failure(.noSigners(SystemError(.open, path, .noSuchFile))))
    }

    @Test("a list outside of the project counts where the project has none")
    func outside() throws {
        _ = try sign()
        let half = try folder.read("key.pub")
        try Files.remove(folder.file("allowed_signers"))
        try folder.write("user@example.com \(half)", to: "user/allowed_signers")
        #expect(try signer(outside: ["user", "machine"]).get().name == "user@example.com")
        try folder.write("root@example.com \(half)", to: "machine/allowed_signers")
        #expect(try signer(outside: ["user", "machine"]).get().name == "user@example.com")
        #expect(try signer(outside: ["none", "machine"]).get().name == "root@example.com")
        // A list that the manifest names has to be there.
        expectFailure(signer(outside: ["user"], isNamed: true)) {
            if case .noSigners = $0 { true } else { false }
        }
    }

    @Test("a project's list does not widen those of the user and of the machine")
    func narrowing() throws {
        _ = try sign()
        let key = try signer().get().key
        try Keys.make("other", in: folder)
        let half = try folder.read("key.pub")
        let otherHalf = try folder.read("other.pub")
        for place in ["user", "machine"] {
            let path = try folder.write(
                "bob@example.com \(otherHalf)", to: "\(place)/allowed_signers")
            for isNamed in [false, true] {
                #expect(
                    signer(outside: ["user", "machine"], isNamed: isNamed)
                        == .failure(.unknownSigner(key: key, signers: path, words: "")))
            }
            try folder.write("bob@example.com \(half)", to: "\(place)/allowed_signers")
        }
        // All allow it. The project's name for it is shown.
        #expect(try signer(outside: ["user", "machine"]).get().name == "alice@example.com")
        // An empty list allows nobody.
        let path = try folder.write("", to: "machine/allowed_signers")
        #expect(
            signer(outside: ["user", "machine"])
                == .failure(.unknownSigner(key: key, signers: path, words: "")))
        // A list that others can write is no reason to go on without it.
        try Files.setMode(0o666, of: path)
        expectFailure(signer(outside: ["user", "machine"])) {
            if case .place(.untrusted) = $0 { true } else { false }
        }
    }

    @Test("a key that any list revokes does not count", arguments: [false, true])
    func revoked(isKRL: Bool) throws {
        _ = try sign()
        let key = try signer().get().key
        try Keys.make("other", in: folder)
        for place in ["revoked_keys", "user/revoked_keys", "machine/revoked_keys"] {
            let path = folder.file(place)
            try revoke("other", in: place, isKRL)
            #expect(try signer(outside: ["user", "machine"]).get().name == "alice@example.com")
            try revoke("key", in: place, isKRL)
            #expect(
                signer(outside: ["user", "machine"]) == .failure(.revoked(key: key, list: path)))
            try Files.remove(path)
        }
        try revoke("key", in: "named", isKRL)
        #expect(
            signer(revokedKeys: "named")
                == .failure(.revoked(key: key, list: folder.file("named"))))
    }

    @Test("a key that the last of several revocation lists revokes does not count")
    func revokedByLast() throws {
        _ = try sign()
        let key = try signer().get().key
        try Keys.make("other", in: folder)
        // One list of signers and two of revoked keys: the lists of each kind are not as many.
        try revoke("other", in: "revoked_keys", false)
        try revoke("key", in: "machine/revoked_keys", false)
        #expect(
            signer(outside: ["machine"])
                == .failure(.revoked(key: key, list: folder.file("machine/revoked_keys"))))
    }

    @Test("a revocation list that is damaged, missing or others' refuses, and is not passed over")
    func strangeRevocations() throws {
        _ = try sign()
        let path = try folder.write("SSHKRL\n\0 and no list", to: "revoked_keys")
        expectFailure(signer()) { if case .revoked(_, path) = $0 { true } else { false } }
        try Files.setMode(0o666, of: path)
        expectFailure(signer()) {
            if case .place(.untrusted(.writable(TrustPlace(path, .revokedKeys), _, _))) = $0 {
                true
            } else {
                false
            }
        }
        try Files.remove(path)
        try folder.link("revoked_keys", to: folder.file("nowhere"))
        expectFailure(signer()) { if case .noRevokedKeys = $0 { true } else { false } }
        try Files.remove(path)
        expectFailure(signer(revokedKeys: "missing")) {
            if case .noRevokedKeys = $0 { true } else { false }
        }
        #expect(try signer().get().name == "alice@example.com")
    }

    @Test("a file that is not a key does not sign, and an older signature stays")
    func noKey() throws {
        let signature = try sign()
        let before = try Files.read(signature)
        let key = folder.file("allowed_signers")
        let refused = #expect(throws: SignatureError.self) { try sign("allowed_signers") }
        guard case .refused(key, _) = refused else {
            Issue.record("\(refused as Any)")
            return
        }
        let missing = folder.file("none")
        #expect(throws: SignatureError.place(.system(SystemError(.open, missing, .noSuchFile)))) {
            try sign("none")
        }
        #expect(try Files.read(signature) == before)
    }
}

/// Keys that OpenSSH makes.
private enum Keys {
    static let isPossible: Bool = {
        let found = try? ChildPool.run(ChildCommand("sh", ["-c", "command -v ssh-keygen"]))
        return found?.ending.isSuccess == true
    }()

    /// Makes a key and its public half, `NAME.pub`.
    static func make(_ name: String, in folder: TemporaryFolder) throws {
        let report = try ChildPool.run(
            ChildCommand(
                "ssh-keygen",
                ["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", folder.file(name)]))
        guard report.ending.isSuccess else {
            throw FixtureError(String(decoding: report.output, as: UTF8.self))
        }
    }
}
