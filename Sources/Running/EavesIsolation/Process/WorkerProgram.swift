// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesSystem
import EavesLoader
import EavesModules
import EavesProcess
import EavesSystem
import Glibc

/// The program in the role of a worker: loads a module, lets it register, and calls its services for the host.
package enum WorkerProgram {
    static let channel: Int32 = 3
    private static let reports: Int32 = 4

    /// Becomes a worker, if the process was started as one. The thread has to be the main thread; a worker's process ends
    /// with the channel.
    package static func runIfRequested() {
        if WorkerRole.isRequested() { run() }
    }

    private static func run() -> Never {
        CrashWatch.leaveNothing()
        eaves_print_by_lines()
        // A program that the module starts has no part in them.
        for descriptor in [channel, reports] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        // The worker goes on where the reader of the host's output has ended.
        SignalHandler.letBrokenPipesFail()
        guard let (request, files) = WorkerRequest.receive(from: channel) else { exit(1) }
        if let memory = request.memory { limit(memory) }
        let wall = Result { () throws(SystemError) in
            try Wall.raise(
                request.rights, around: Array(files.prefix(request.fileCount)), decidedOn: channel)
        }
        CrashWatch.begin()
        CrashWatch.report(to: reports)
        do throws(SystemError) {
            try begin(request, files, behind: wall)
        } catch {
            _exit(1)
        }
        // Serves the main actor.
        eaves_serve_main_queue()
    }

    /// Loads the module on this thread, and lets others receive what the host asks of it.
    private static func begin(
        _ request: WorkerRequest, _ files: [Int32], behind wall: Result<[String], SystemError>
    ) throws(SystemError) {
        let module = WorkerModule(request, files)
        let peer = CallPeer(
            of: request.id, on: try MessageChannel(channel), providing: module)
        module.begin(peer, behind: wall)
        // One of them waits while the other one runs a call of the host.
        for _ in 0..<2 {
            try DetachedThread.start {
                // The host ends a channel that it does not understand, and has the reason.
                try? peer.receive()
                CrashWatch.expectExit()
                fflush(nil)
                _exit(0)
            }
        }
    }

    /// Limits the memory that the process has for itself: its heap and its stacks. What is refused ends most programs.
    private static func limit(_ memory: UInt64) {
        var limit = rlimit(rlim_cur: rlim_t(memory), rlim_max: rlim_t(memory))
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    }
}
