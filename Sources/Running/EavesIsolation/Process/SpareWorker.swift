// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesManifest
import EavesSystem

/// A process that is started while its module is still checked, and waits for the request. It ends if none comes.
///
/// Safe from any thread.
final class SpareWorker: Sendable {
    typealias Work = @Sendable (Result<StartedProgram, SystemError>) -> Void

    private let permissions: Permissions
    private let work = Awaited<Work?>()

    /// Starts the process, on a thread of its own: the system ends a process with the thread that has started it.
    ///
    /// - Throws: `SystemError` if the system has no further thread.
    init(_ permissions: Permissions) throws(SystemError) {
        self.permissions = permissions
        try DetachedThread.start { [work] in
            let started = Result { () throws(SystemError) in try StartedProgram(permissions) }
            work.wait()?(started)
        }
    }

    deinit { work.set(nil) }

    /// Whether the process has the environment that a module with these rights has.
    func fits(_ permissions: Permissions) -> Bool { self.permissions == permissions }

    /// Runs `work` on the process's thread. The caller calls this once.
    func run(_ work: @escaping Work) { self.work.set(work) }
}
