// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import Dispatch
import EavesDeclaration
import EavesInterface
import EavesSystem
import EavesTestSupport
import Glibc
import Synchronization
import Testing

@testable import EavesHost

// The words of tests about a host that takes on what changes on the disk.
extension TemporaryFolder {
    /// Drops a file of the module `users`, in one step, as a new generation: whoever asks for its users gets
    /// these words.
    ///
    /// - Parameter inputs: The digest of everything that it was built from, as its note says.
    func dropUsers(
        _ words: String, id: String = "users", version: String = "1.0.0", inputs: String? = nil
    ) throws {
        var declaration = ModuleDeclaration.sample(provides: ["UserService"])
        declaration.id = id
        declaration.version = version
        try drop(declaration, inputs: inputs) { registrar in
            registrar.register((any UserService).self, scope: .shared) { _ in
                KeptUsers(words: words)
            }
        }
    }

    /// Drops a file in one step: a host sees the old file or the new one.
    func drop(
        _ declaration: ModuleDeclaration, inputs: String? = nil,
        registering registration: LoadableModules.Registration? = nil
    ) throws {
        try createFolder("Plugins")
        let temporary = "\(declaration.id).new"
        try addLoadable(declaration, as: temporary, inputs: inputs, registering: registration)
        try rename(temporary, to: "Plugins/\(declaration.id).so")
    }

    /// Writes a manifest with other bindings or entries in one step.
    func rewriteManifest(bindings: String = "", modules: String = "") throws {
        try write(
            #"{ "manifest": 1, "bindings": { \#(bindings) }, "modules": { \#(modules) } }"#,
            to: "manifest.new")
        try rename("manifest.new", to: "manifest.json")
    }
}

extension TemporaryFolder {
    /// A host that has loaded the module `users`, whose words are `first`.
    func servingHost(bindings: String = "") throws -> Host {
        try dropUsers("first")
        let host = try host(bindings: bindings)
        try #require(host.users() == "first")
        return host
    }
}

extension Host {
    /// The changes that the host takes on now, without the ends of old generations: others may resolve meanwhile.
    func changes(discarding: Bool = false) -> [String] {
        catchUp(discardingState: discarding).map(\.words).filter { !$0.hasSuffix("retired") }
    }

    /// The words of the users that somebody gets who asks now.
    func users() throws -> String {
        let service = try resolve((any UserService).self)
        guard let users = service as? KeptUsers else { return "\(service)" }
        return users.words
    }
}

/// Users that a scope keeps.
final class KeptUsers: UserService {
    let words: String

    init(words: String) {
        self.words = words
    }

    func users() async throws -> [User] { [User(id: 1, name: words)] }
}

extension HostChange {
    /// The change in a few words.
    var words: String {
        switch self {
        case .swapped(let new, let old): "\(new.module): \(old.state) → \(new.state)"
        case .bound(let service, let from, let to): "\(service): \(from ?? "nobody") → \(to)"
        case .stopped(let generation): "\(generation.module) stopped"
        case .refused(let generation, _): "\(generation.module) refused"
        case .kept: "kept"
        case .retired(let generation): "\(generation.module) retired"
        case .lingering(let generation, _): "\(generation.module) lingers"
        case .stateLost: "state lost"
        case .shared(let service, let shares):
            "\(service): \(shares.map { "\($0.module) \($0.weight)" }.joined(separator: ", "))"
        case .rolledBack(let retreat): "\(retreat.module) rolled back to \(retreat.to ?? "before")"
        case .proven(let module, _): "\(module) proven"
        }
    }
}

// Files.
extension TemporaryFolder {
    func rename(_ name: String, to other: String) throws {
        guard Glibc.rename(file(name), file(other)) == 0 else {
            throw FixtureError("cannot rename \(name)")
        }
    }

    func remove(_ name: String) throws {
        guard unlink(file(name)) == 0 else { throw FixtureError("cannot remove \(name)") }
    }

    /// How many parts of a module's private copies are mapped into this process, from memory or the store.
    func mappings(of id: String) throws -> Int {
        guard let maps = fopen("/proc/self/maps", "r") else { throw FixtureError("no maps") }
        defer { fclose(maps) }
        // The size of a file in /proc is not known before it is read.
        var count = 0
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while getline(&line, &capacity, maps) > 0, let line {
            if String(cString: line).contains(id) { count += 1 }
        }
        return count
    }

    /// The bytes of a module that has another id.
    func bytesOfStranger() throws -> [UInt8] {
        var declaration = ModuleDeclaration.sample(provides: ["UserService"])
        declaration.id = "stranger"
        return try Files.read(addLoadable(declaration, as: "stranger.so"))
    }
}

extension TemporaryFolder {
    /// Writes a file in place, in pieces: opens it, writes a piece, and closes it, again and again.
    func overwrite(_ name: String, with bytes: [UInt8], pieces: Int) throws {
        let size = (bytes.count + pieces - 1) / pieces
        for start in stride(from: 0, to: bytes.count, by: size) {
            let flags = start == 0 ? O_WRONLY | O_TRUNC : O_WRONLY | O_APPEND
            let descriptor = open(file(name), flags)
            let piece = bytes[start..<min(start + size, bytes.count)]
            guard descriptor >= 0,
                piece.withUnsafeBytes({ Glibc.write(descriptor, $0.baseAddress, $0.count) })
                    == piece.count
            else { throw FixtureError("cannot write \(name)") }
            close(descriptor)
        }
    }

    /// Replaces the file of the module `users` in one step.
    func replaceUsers(_ bytes: [UInt8]) throws {
        try write(bytes, to: "users.new")
        try rename("users.new", to: "Plugins/users.so")
    }
}

extension [UInt8] {
    /// The same bytes with another text of the same length wherever one stands.
    func replacing(_ text: String, by other: String) -> [UInt8] {
        let (old, new) = (Array(text.utf8), Array(other.utf8))
        var bytes = self
        for start in 0...(bytes.count - old.count)
        where bytes[start] == old[0] && Array(bytes[start..<start + old.count]) == old {
            bytes.replaceSubrange(start..<start + old.count, with: new)
        }
        return bytes
    }
}

/// Two threads that ask a host for its users again and again, each in another way, and call them.
///
/// They rest now and then: a test may have to wait for minutes until it is its turn, and others need the processors
/// meanwhile.
final class Load: Sendable {
    struct Outcome: Sendable {
        var count = 0
        /// How often a later generation was followed by an earlier one.
        var stale = 0
        /// The errors, each once.
        var failures: Set<String> = []
    }

    private let isOver = Awaited<Bool>()
    private let outcome = Mutex(Outcome())
    private let group = DispatchGroup()

    init(_ host: Host) {
        for number in 0..<2 {
            DispatchQueue(label: "load \(number)").async(group: group) { [self] in
                run(host, usesHandle: number == 1)
            }
        }
    }

    /// Stops the threads.
    func end() -> Outcome {
        isOver.set(true)
        group.wait()
        return outcome.withLock { $0 }
    }

    private func run(_ host: Host, usesHandle: Bool) {
        var own = Outcome()
        var last = 0
        func take(_ users: any UserService) {
            own.count += 1
            guard let number = (users as? KeptUsers).flatMap({ Int($0.words) }) else { return }
            if number < last { own.stale += 1 }
            last = number
        }
        do {
            var handle = try host.services.resolver.handle((any UserService).self)
            while true {
                // A thread rests while it waits for its end, which does not come before its first call.
                if own.count > 0, own.count % 8 == 0,
                    isOver.wait(within: .milliseconds(10)) == true
                {
                    break
                }
                if usesHandle {
                    try handle.borrow(take)
                } else {
                    take(try host.resolve((any UserService).self))
                }
            }
        } catch {
            own.failures.insert("\(error)")
        }
        outcome.withLock { outcome in
            outcome.count += own.count
            outcome.stale += own.stale
            outcome.failures.formUnion(own.failures)
        }
    }
}
