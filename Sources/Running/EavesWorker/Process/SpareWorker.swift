// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesManifest
package import EavesSystem
import Synchronization

/// A process that is started while its module is still checked, and waits for the request. It ends if none comes.
///
/// Safe from any thread.
package final class SpareWorker: Sendable {
    typealias Work = @Sendable (Result<StartedProgram, SystemError>) -> Void

    private let permissions: Permissions
    private let work = Awaited<Work?>()

    /// Starts the process, on a thread of its own: the system ends a process with the thread that has started it.
    ///
    /// - Throws: `SystemError` if the system has no further thread.
    package init(_ permissions: Permissions) throws(SystemError) {
        self.permissions = permissions
        try DetachedThread.start { [work] in
            let started = Result { () throws(SystemError) in try StartedProgram(permissions) }
            work.wait()?(started)
        }
    }

    deinit { work.set(nil) }

    /// Whether the process has the environment that a module with these rights has.
    func fits(_ permissions: Permissions) -> Bool { self.permissions == permissions }

    /// Does something on the process's thread. Is called once.
    func run(_ work: @escaping Work) { self.work.set(work) }
}

/// The processes that wait for their modules.
///
/// Safe from any thread.
package final class SpareWorkers: Sendable {
    private let waiting = Mutex<[String: SpareWorker]>([:])

    package init() {}

    /// Starts a process for a module. Without one, its worker starts it.
    package func prepare(_ module: String, _ permissions: Permissions) {
        guard !WorkerProgram.isRequested, let spare = try? SpareWorker(permissions) else { return }
        waiting.withLock { $0[module] = spare }
    }

    package func take(for module: String) -> SpareWorker? {
        waiting.withLock { $0.removeValue(forKey: module) }
    }

    /// Ends those that are not needed.
    package func end(of modules: [String]) {
        for module in modules { _ = take(for: module) }
    }
}
