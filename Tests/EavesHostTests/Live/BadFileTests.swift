// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesCatalog
import EavesDeclaration
import EavesDiagnostics
import EavesInterface
import EavesManifest
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesHost
@testable import EavesLife

@Suite("A host whose module gets a bad file", .onOwnThreads)
struct BadFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("stays with a module whose file has another id now, and says so once")
    func otherID() throws {
        let host = try folder.servingHost()
        try folder.replaceUsers(folder.bytesOfStranger())
        #expect(host.changes() == ["kept"])
        #expect(try host.users() == "first")
        #expect(host.changes() == [])
        try folder.dropUsers("second")
        #expect(host.changes() == ["users: draining → serving"])
    }

    @Test(
        "refuses code that would run with what the process keeps of other code, and waits for a fresh process if that helps"
    )
    func processWide() throws {
        let source = Binaries.unique("only")
        let words = { (words: String) -> LoadableModules.Registration in
            { $0.register((any UserService).self) { _ in KeptUsers(words: words) } }
        }
        let users = ModuleDeclaration.sample(provides: ["UserService"])
        let others = ModuleDeclaration.sample("others", provides: ["UserService"])
        let lacking = "extern int nowhere; int *place(void) { return &nowhere; }"
        try folder.addLoadable(users, source: source + lacking)
        let host = try folder.host(bindings: #""UserService": "users""#)
        #expect(throws: (any Error).self, "it cannot be loaded") { try host.users() }
        try folder.addLoadable(users, as: "new", registering: words("first"), source: source)
        try folder.rename("new", to: "Plugins/users.so")
        _ = host.changes()
        #expect(try host.users() == "first", "no process keeps what it did not load")
        try folder.addLoadable(users, as: "new", registering: words("second"), source: source)
        try folder.rename("new", to: "Plugins/users.so")
        #expect(host.changes() == ["users refused"])
        try folder.addLoadable(others, registering: words("third"), source: source)
        try folder.rewriteManifest(bindings: #""UserService": "others""#)
        #expect(host.changes() == ["kept"])
        #expect(try host.users() == "first")
        #expect(host.awaitingFreshProcess.keys.sorted() == ["users"])
    }

    /// Runs in a process of its own, which then has hardly a descriptor left.
    @Test(
        "waits for a fresh process, or for room, when the process has too little for it", .promptly)
    func room() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let host = try folder.servingHost()
            try folder.dropUsers("second")
            var limit = rlimit(rlim_cur: 200, rlim_max: 200)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            while dup(STDERR_FILENO) < 178 {}
            #expect(host.changes() == ["users refused"])
            #expect(host.changes() == [])
            #expect(try host.users() == "first")
            #expect(host.awaitingFreshProcess.keys.sorted() == ["users"])
            for descriptor in 150..<170 as Range<Int32> { close(descriptor) }
            #expect(host.changes() == ["users: draining → serving"])
            #expect(host.awaitingFreshProcess.isEmpty)
        }
    }

    /// Runs in a process of its own, whose static memory it uses up.
    @Test(
        "waits for a fresh process when earlier files have all static memory of threads", .promptly)
    func staticMemory() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let host = try folder.servingHost()
            for words in ["second", "third"] {
                try folder.addLoadable(
                    .sample(provides: ["UserService"]), as: "new",
                    registering: {
                        $0.register((any UserService).self) { _ in KeptUsers(words: words) }
                    },
                    source: """
                        __thread __attribute__((tls_model("initial-exec"))) volatile char own[1000];
                        char use(void) { return own[0]; }
                        """)
                try folder.rename("new", to: "Plugins/users.so")
                let refusals = host.catchUp().compactMap { change -> String? in
                    guard case .refused(let generation, _) = change else { return nil }
                    return generation.problems.first?.message
                }
                #expect(refusals.allSatisfy { $0.contains("left of the static memory") })
                #expect(refusals.count == (words == "third" ? 1 : 0))
            }
            #expect(host.awaitingFreshProcess.keys.sorted() == ["users"])
        }
    }

    @Test(
        "waits for a fresh process with definitions that the other module's file has no longer",
        arguments: [false, true])
    func movedDefinition(isLoaded: Bool) throws {
        let source = Binaries.unique("moved")
        let users = ModuleDeclaration.sample(provides: ["UserService"])
        let others = ModuleDeclaration.sample("others", provides: ["EventHandler", "UserService"])
        try folder.addLoadable(users, source: source)
        if isLoaded { try folder.addLoadable(others) }
        let host = try folder.host(bindings: #""UserService": "users""#)
        _ = try host.users()
        if isLoaded { _ = try host.resolve((any EventHandler).self) }
        try folder.addLoadable(others, as: "new", source: source)
        try folder.rename("new", to: "Plugins/others.so")
        try folder.rewriteManifest(bindings: #""UserService": "others""#)
        _ = host.changes()
        #expect(host.awaitingFreshProcess.isEmpty)
        try folder.dropUsers("second")
        #expect(host.changes().contains("kept"))
        #expect(host.awaitingFreshProcess.keys.sorted() == ["others"])
        #expect(host.changes().isEmpty)
    }

    @Test("leaves a loaded id to its file, says so once, and hands that on to a fresh process")
    func secondFile() throws {
        let host = try folder.servingHost()
        let bytes = try Files.read(folder.file("Plugins/users.so"))
        var declaration = ModuleDeclaration.sample(provides: ["UserService"])
        declaration.version = "2.0.0"
        try folder.addLoadable(declaration, as: "Plugins/aaa.so") {
            $0.register((any UserService).self) { _ in KeptUsers(words: "second") }
        }
        let told = host.catchUp()
        guard case .kept(let error)? = told.first, told.count == 1 else {
            Issue.record("\(told)")
            return
        }
        let message =
            "users: another module has the same id, and eaves uses that one: Plugins/users.so (Plugins/aaa.so)"
        #expect(error.problems.map(\.message) == [message])
        #expect(host.live.standing.obstacles.flatMap(\.problems).map(\.message) == [message])
        #expect(host.changes().isEmpty)
        try folder.replaceUsers(bytes)
        #expect(try host.users() == "first")
        // A host that has loaded nothing says that there is a choice.
        let log = EventLog()
        let fresh = try folder.host(tellingTo: log)
        #expect(try fresh.users() == "second")
        #expect(log.lines.contains { $0.hasPrefix("warned users: another module has the same id") })
        let successor = try folder.host()
        #expect(try successor.load(["users"], from: host.files, restoring: [:]) == nil)
        #expect(try successor.users() == "first")
        try folder.remove("Plugins/users.so")
        #expect(host.changes() == ["users: draining → serving"])
        #expect(try host.users() == "second")
        #expect(host.live.standing.obstacles.isEmpty)
    }

    @Test(
        "is told to others as long as it is there: mended, gone or switched off, it is no obstacle")
    func obstacle() throws {
        let host = try folder.servingHost()
        let first = try Files.read(folder.file("Plugins/users.so"))
        func subjects(_ change: () throws -> Void) throws -> [String] {
            try change()
            host.catchUp()
            return host.live.standing.obstacles.map(\.subject)
        }
        let isBad = {
            try folder.drop(.sample(provides: ["UserService"])) { _ in throw FixtureError("no") }
        }
        #expect(try subjects {} == [])
        #expect(try subjects(isBad) == ["users"])
        #expect(try subjects {} == ["users"])
        #expect(try subjects { try folder.dropUsers("second") } == [])
        #expect(try subjects(isBad) == ["users"])
        #expect(try subjects { try folder.remove("Plugins/users.so") } == [])
        #expect(try subjects { try folder.replaceUsers(first) } == [])
        #expect(try subjects(isBad) == ["users"])
        #expect(
            try subjects {
                try folder.rewriteManifest(bindings: "", modules: #""users": { "enabled": false }"#)
            } == [])
        #expect(try subjects { try folder.write("{", to: "manifest.json") } == [""])
    }

    @Test(
        "says of a bad file what a listing says of it, once",
        arguments: ["no module", "cut short", "empty", "a folder"], ["users", "otherwise-named"])
    func badFile(kind: String, name: String) throws {
        let file = "Plugins/\(name).so"
        try folder.dropUsers("first")
        if name != "users" { try folder.rename("Plugins/users.so", to: file) }
        let whole = try Files.read(folder.file(file))
        var policy = LivePolicy()
        policy.unfinishedLimit = .zero
        let host = try Host(manifest: folder.manifest(bindings: ""), policy: policy)
        #expect(try host.users() == "first")
        switch kind {
        case "no module": try folder.write(Array("no module\n".utf8), to: "new")
        case "cut short": try folder.write(Array(whole.prefix(whole.count / 3)), to: "new")
        case "empty": try folder.write([UInt8](), to: "new")
        default:
            try folder.remove(file)
            try folder.createFolder("new")
        }
        try folder.rename("new", to: file)
        // A file that may still grow has to stay the same for one look.
        var refused: [HostGeneration] = []
        for _ in 0..<4 {
            for change in host.catchUp() {
                guard case .refused(let generation, serving: _) = change else {
                    Issue.record("expected a refusal, found \(change)")
                    continue
                }
                refused.append(generation)
            }
        }
        let listed = try folder.catalog(Manifest.load(folder.file("manifest.json"))).entries
        let words = try #require(listed.first?.diagnostics)
        #expect(listed.count == 1)
        #expect(refused.count == 1)
        #expect(refused.first?.module == "users")
        #expect(
            refused.first?.problems.map { $0.message }
                == words.map { $0.message.replacing("\(name): ", with: "users: ") })
        #expect(refused.first?.problems.map { $0.fix } == words.map { $0.fix })
        #expect(try host.users() == "first")
        if kind == "a folder" { #expect(rmdir(folder.file(file)) == 0) }
        try folder.dropUsers("second")
        if name != "users" { try folder.rename("Plugins/users.so", to: file) }
        #expect(host.changes() == ["users: draining → serving"])
    }
}
