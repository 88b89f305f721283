// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A child process that leads a group of its own.
///
/// Not Foundation's `Process`: on Linux its `run()` reads beyond a buffer now and then, and takes
/// the tests with it (swift-corelibs-foundation, pull request 5472).
final class Child: Sendable {
    /// Where one of the three standard descriptors leads.
    enum Stream {
        case reading(String)
        case writing(String)
        case descriptor(Int32)
    }

    /// Held while a child is spawned, and from making a pipe to hiding it from children.
    private static let spawning = Mutex(())

    private let identifier: pid_t
    private let name: String
    private let isOverdue = Atomic(false)

    init(
        _ program: URL, _ arguments: [String], in folder: URL, environment: [String: String] = [:],
        _ streams: [Stream]
    ) throws {
        name = ([program.lastPathComponent] + arguments).joined(separator: " ")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in zip(Int32(0)..., streams) {
            switch stream {
            case .reading(let path):
                posix_spawn_file_actions_addopen(&actions, number, path, O_RDONLY, 0)
            case .writing(let path):
                posix_spawn_file_actions_addopen(
                    &actions, number, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            case .descriptor(let descriptor):
                posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            }
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let variables = ProcessInfo.processInfo.environment
            .merging(environment) { _, added in added }
        // The shell goes to the folder and then becomes the program: Glibc as Swift sees it has no
        // spawn action for that.
        let words = ["sh", "-c", #"cd "$0" && exec "$@""#, folder.path, program.path] + arguments
        var identifier: pid_t = 0
        let failure = Self.spawning.withLock { _ in
            Self.withCStrings(words) { words in
                Self.withCStrings(variables.map { "\($0)=\($1)" }) { variables in
                    posix_spawn(&identifier, "/bin/sh", &actions, &attributes, words, variables)
                }
            }
        }
        guard failure == 0 else {
            throw FixtureFault(what: "cannot run '\(name)': \(String(cString: strerror(failure)))")
        }
        self.identifier = identifier
    }

    /// Waits for its end, and ends all of its group when that takes too long.
    ///
    /// - Returns: The exit code, or the signal that ended it.
    func wait() throws -> (code: Int32, signal: Int32?) {
        let guardian = DispatchWorkItem { [self] in
            isOverdue.store(true, ordering: .relaxed)
            kill(-identifier, SIGKILL)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + Eaves.limit, execute: guardian)
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 {
            guard errno == EINTR else { throw FixtureFault(what: "cannot wait for '\(name)'") }
        }
        guardian.cancel()
        if isOverdue.load(ordering: .relaxed) {
            throw FixtureFault(what: "'\(name)' did not end within \(Eaves.limit) seconds")
        }
        let signal = status & 0x7f
        return signal == 0 ? ((status >> 8) & 0xff, nil) : (signal, signal)
    }

    /// Two ends that no other child inherits.
    static func pipe() throws -> (readEnd: FileHandle, writeEnd: FileHandle) {
        let ends = spawning.withLock { _ -> [Int32]? in
            var ends: [Int32] = [-1, -1]
            guard Glibc.pipe(&ends) == 0 else { return nil }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return ends
        }
        guard let ends else { throw FixtureFault(what: "there is no pipe to be had") }
        return (
            FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
            FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        )
    }

    /// Ends all of its group.
    func end() {
        kill(-identifier, SIGKILL)
    }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = texts.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers)
    }
}
