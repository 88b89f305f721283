// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CCrashReport
import EavesSystem

/// Handlers that say whose code it was when this process dies of a signal.
///
/// `crash_report.h` tells what they do and what they keep away from.
package enum CrashWatch {
    /// Installs the handlers. Called once in a process, before a module is loaded.
    package static func begin() {
        eaves_crash_watch()
    }

    /// Lets the calling thread's overflow of its stack be reported as well. Serves one thread, beside
    /// the one that called ``begin()``.
    package static func watchThread() {
        eaves_crash_watch_thread()
    }

    /// Names a module that is about to be loaded.
    ///
    /// - Parameters:
    ///   - id: The module's.
    ///   - path: Its file, as people see it.
    ///   - file: What the dynamic linker is going to be given.
    ///   - logEntry: Its line in the log, a JSON object without the closing brace.
    package static func expect(_ id: String, _ path: String, from file: String, logEntry: String) {
        // A file that is not there any more will not be loaded either.
        guard let status = try? FileStatus(path: file) else { return }
        eaves_crash_expect_module(
            id, path, Path.name(of: file), status.device, status.inode, logEntry)
    }

    /// Notes crashes in `file`, in the folder `inner`, in the folder `outer`: full paths, each.
    package static func log(into file: String, in inner: String, in outer: String) {
        eaves_crash_log_into(outer, inner, file)
    }

    /// Writes reports, as lines of text, to a descriptor that stays open.
    package static func report(to descriptor: Int32) {
        eaves_crash_report_to(descriptor)
    }

    /// Says that the process is about to exit by itself.
    package static func expectExit() {
        eaves_crash_expect_exit()
    }

    /// The signal by which another process asks what this one is doing.
    package static var question: Int32 { eaves_crash_question }

    /// Lets this process end when the one that started it ends, and leave no core file.
    package static func leaveNothing() {
        eaves_crash_leave_nothing()
    }
}
