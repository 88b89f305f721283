// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesManifest
import EavesQuarantine
import EavesSystem
import EavesTestSupport
import EavesTrust
import Glibc
import Synchronization
import Testing

@testable import EavesHost
@testable import EavesLife

// Modules that may crash while they are judged.
extension ProbationTests {
    /// A module may crash as soon as it serves.
    @Test("lets the store know of a new file, and of a new binding, before the module serves")
    func recordsFirst() throws {
        try write(bindings: #""UserService": "users""#)
        try folder.dropUsers("first")
        let store = QuarantineStore(Store(of: folder.path, .own))
        let trials: @Sendable () -> [Trial] = { (try? store.trials(of: Int(getpid()))) ?? [] }
        let known = Mutex<[String]>([])
        var policy = LivePolicy(gateLimit: Patience.limit)
        policy.window = .zero
        let host = try Host(manifest: Manifest.load(folder.file("manifest.json")), policy: policy) {
            event in
            guard case .loaded(let entry, _) = event else { return }
            let services = trials().map { $0.service ?? "a file" }.sorted()
            known.withLock { $0.append("\(entry.id): \(services.joined(separator: ", "))") }
        }
        #expect(try host.users() == "first")
        try folder.dropUsers("second")
        _ = changes(host)
        try folder.dropUsers("third", id: "others")
        try write(bindings: #""UserService": "others""#)
        _ = changes(host)
        #expect(try host.users() == "third")
        #expect(
            known.withLock { $0 } == [
                "users: ", "users: a file", "others: CommonInterface.UserService, a file",
            ])
        #expect(trials().count == 2)
    }

    @Test("lets the store know what is on probation, and forgets it at its end")
    func records() throws {
        try write()
        try folder.dropUsers("first")
        let host = try host()
        #expect(try host.users() == "first")
        try folder.dropUsers("second")
        host.catchUp()
        let record = ".eaves/quarantine/probation.json"
        let text = String(decoding: try Files.read(folder.file(record)), as: UTF8.self)
        #expect(text.contains(#""module": "users""#))
        call(host, 100)
        host.catchUp()
        #expect(throws: SystemError.self) { try Files.read(folder.file(record)) }
    }
}
