// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesManifest
import EavesModules
import EavesSystem
import Glibc
import Synchronization

extension StartedProgram {
    /// Starts this program in the role of a worker, which waits for its request.
    convenience init(_ permissions: Permissions) throws(SystemError) {
        let outputs = [LentOutput(STDOUT_FILENO), LentOutput(STDERR_FILENO)]
        defer { for output in outputs { output.close() } }
        try self.init(
            Self.command(WorkerRole.word, Wall.environment(permissions)),
            as: .worker(startsPrograms: !permissions.run.isEmpty),
            printingTo: outputs.map(\.descriptor))
    }
}

/// The host's output, as a worker gets it. It cannot read a terminal there, nor change how the host writes to it or to
/// a pipe. A file is the host's own.
private struct LentOutput {
    let descriptor: Int32
    private let isOwn: Bool

    init(_ output: Int32) {
        var status = stat()
        let type = fstat(output, &status) == 0 ? status.st_mode & S_IFMT : 0
        var opened: Int32 = -1
        if type == S_IFCHR || type == S_IFIFO {
            // Does not wait for the reader of a pipe that has none.
            opened = open(
                PathHandle.ownPath(of: output), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        }
        isOwn = opened >= 0
        descriptor = isOwn ? opened : output
        if isOwn { _ = fcntl(opened, F_SETFL, 0) }
    }

    func close() { if isOwn { Glibc.close(descriptor) } }
}

/// A process that is started while its module is still checked, and waits for the request. It ends if none comes.
///
/// Safe from any thread.
final class SpareWorker: Sendable {
    /// The process has the environment that a module with these rights has.
    let permissions: Permissions
    private let program = Mutex<Result<StartedProgram, SystemError>?>(nil)
    private let hasStarted = Awaited<Bool>()

    /// Starts the process on a thread of its own, so that the caller goes on meanwhile.
    init(_ permissions: Permissions) throws(SystemError) {
        self.permissions = permissions
        try DetachedThread.start { [self] in
            let started = Result { () throws(SystemError) in try StartedProgram(permissions) }
            program.withLock { $0 = started }
            hasStarted.set(true)
        }
    }

    /// Waits until the process runs, and hands it to the first caller.
    func take() -> Result<StartedProgram, SystemError>? {
        _ = hasStarted.wait()
        return program.withLock { $0.take() }
    }
}

/// The open files of a module and of the interface modules that it needs, for each process that a worker starts.
final class WorkerFiles: Sendable {
    /// Those of the interface modules first, each behind those that it builds on, and the module's own last.
    let descriptors: [Int32]

    init(duplicating files: [Int32]) throws(SystemError) {
        var descriptors: [Int32] = []
        for file in files {
            let descriptor = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
            guard descriptor >= 0 else {
                let error = SystemError(.open, "a module's file")
                for descriptor in descriptors { close(descriptor) }
                throw error
            }
            descriptors.append(descriptor)
        }
        self.descriptors = descriptors
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
