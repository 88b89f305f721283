// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Foundation
import Glibc
import Synchronization

/// A child process of a test, which is ended when it takes too long.
///
/// Foundation's `Process` is no alternative: on Linux its `run()` reads beyond a buffer now and then,
/// and the tests crash with it (swift-corelibs-foundation, pull request 5472).
final class Child: Sendable {
    typealias Stream = ChildCommand.Stream

    private let identifier: Int32
    private let name: String
    private let isOverdue = Atomic(false)
    private let isReaped = Atomic(false)

    /// - Parameters:
    ///   - environment: Variables that are added to the test's own.
    ///   - streams: The child's three standard descriptors.
    init(
        _ program: URL, _ arguments: [String], in folder: URL, environment: [String: String] = [:],
        _ streams: [Stream]
    ) throws {
        name = ([program.lastPathComponent] + arguments).joined(separator: " ")
        var command = ChildCommand(program.path, arguments)
        command.folder = folder.path
        for (variable, value) in environment { command.environment[variable] = value }
        identifier = try command.spawn(streams)
    }

    /// Ends a child that nobody has waited for. The parent takes its status in any case: the monitor of exit
    /// tests would look at an ended child again and again, and at no other one.
    deinit {
        guard !isReaped.load(ordering: .relaxed) else { return }
        end()
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    }

    /// Waits for the child's end, and kills all of its group if that takes too long.
    ///
    /// - Returns: The exit code, or the signal that ended the child.
    func wait() throws -> (code: Int32, signal: Int32?) {
        let guardian = DispatchWorkItem { [self] in
            isOverdue.store(true, ordering: .relaxed)
            end()
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + Eaves.limit, execute: guardian)
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 {
            guard errno == EINTR else { throw FixtureFault(what: "cannot wait for '\(name)'") }
        }
        isReaped.store(true, ordering: .relaxed)
        guardian.cancel()
        if isOverdue.load(ordering: .relaxed) {
            throw FixtureFault(what: "'\(name)' did not end within \(Eaves.limit) seconds")
        }
        switch ChildEnding(status: status) {
        case .exited(let code): return (code, nil)
        case .signalled(let signal): return (signal, signal)
        }
    }

    /// Makes a pipe whose ends no other child inherits.
    static func pipe() throws -> (readEnd: FileHandle, writeEnd: FileHandle) {
        guard let pipe = EavesSystem.Pipe() else { throw FixtureFault(what: "cannot make a pipe") }
        return (
            FileHandle(fileDescriptor: pipe.readEnd, closeOnDealloc: true),
            FileHandle(fileDescriptor: pipe.writeEnd, closeOnDealloc: true)
        )
    }

    /// Sends a signal to the child.
    func signal(_ number: Int32) {
        kill(identifier, number)
    }

    /// Kills all processes of the child's group.
    func end() {
        kill(-identifier, SIGKILL)
    }
}
