// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
import EavesDiagnostics
import EavesSystem
import Glibc
import Synchronization

/// Installs handlers of signals and of `exit` that report which module made this process crash, or ended it.
///
/// `crash_report.h` describes what the handlers do, and what they must not do.
package enum CrashWatch {
    /// Installs the handlers. Call it once, before the first module is loaded.
    package static func begin() {
        eaves_crash_watch()
    }

    /// Announces a module that is about to be loaded.
    ///
    /// - Parameters:
    ///   - path: The module's file, as messages name it.
    ///   - file: The file that the dynamic linker will get.
    ///   - name: The file's own name, if `file` is the path of a descriptor.
    ///   - isInterface: Whether it is an interface module: a module that calls its code is blamed for a crash in it.
    ///   - logEntry: The module's line for the log, a JSON object without the closing brace.
    package static func expect(
        _ id: String, _ path: String, from file: String, named name: String? = nil,
        isInterface: Bool = false, logEntry: String
    ) {
        // A file that is gone will not be loaded either.
        guard let status = try? FileStatus(path: file) else { return }
        let last = Path.name(of: file)
        eaves_crash_expect_module(
            id, path, last, name ?? last, status.device, status.inode, logEntry,
            isInterface)
    }

    /// Names the generation that an announced module is, for the log and the messages. The same code can serve
    /// again, and is a later generation then.
    package static func number(_ generation: Int, _ file: String) {
        eaves_crash_number_generation(file, UInt64(generation))
    }

    /// The features that are being launched, in the order in which their launches began.
    private static let launches = Mutex<
        (last: Int, running: [(number: Int, feature: String, json: String)])
    >((0, []))

    /// Names the feature that is being launched, for the log and the messages. If several are, they name the
    /// one whose launch began last: a process that dies does not know which of them a thread works for.
    ///
    /// - Parameter json: The name as a JSON string, with its quotation marks.
    /// - Returns: A number for ``endLaunch(_:)``.
    package static func beginLaunch(of feature: String, json: String) -> Int {
        launches.withLock { launches in
            launches.last += 1
            launches.running.append((launches.last, feature, json))
            eaves_crash_name_feature(feature, json)
            return launches.last
        }
    }

    /// Ends what ``beginLaunch(of:json:)`` began.
    package static func endLaunch(_ number: Int) {
        launches.withLock { launches in
            launches.running.removeAll { $0.number == number }
            let last = launches.running.last
            eaves_crash_name_feature(last?.feature, last?.json)
        }
    }

    /// The thing that a module's code runs for, for the first time: its constructors, its entry point, or the start of its
    /// life cycle.
    package enum Step: Int {
        case load, register, start
    }

    /// Runs an announced module's code for the first time, and gives the thread its state back. Meanwhile the module is
    /// blamed for a crash in the dynamic linker, for a call of `exit`, and for a delay of anything but its start.
    ///
    /// - Parameter file: The file that the dynamic linker gets.
    package static func firstRun<Result, Failure: Error>(
        of file: String, _ step: Step, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let number = eaves_crash_enter(file, Int32(step.rawValue))
        defer { eaves_crash_leave(number) }
        return try ThreadState.keeping(body)
    }

    /// Notes that another thread does not come back from the code that it runs for the first time.
    package static func giveUpFirstRun(of file: String, registers: Bool) {
        eaves_crash_give_up(file, registers)
    }

    /// Makes the handlers log crashes to a file. A module that calls `exit` while it is loaded or registers
    /// counts as crashed, and the process then ends with ``FailureCode/crashed``.
    ///
    /// - Parameters:
    ///   - file: The log's name in its folder. It is created when it is first needed, with the two folders.
    ///   - folder: The name of that folder in the store.
    ///   - store: The store's name in its folder.
    ///   - project: The open folder of the store, which belongs to the handlers from now on; -1 to log
    ///     nothing. No path is followed later.
    ///   - patience: After this time, a module that is still being loaded or still registers is named on
    ///     standard error. It may go on.
    package static func log(
        into file: String, _ folder: String, _ store: String, of project: Int32,
        patience: Duration = .seconds(5)
    ) {
        eaves_crash_log_into(
            project, store, folder, file, FailureCode.crashed.rawValue,
            Int32(patience / .milliseconds(1)))
    }

    /// Makes the handlers write reports, as lines of text, to a descriptor, which has to stay open.
    ///
    /// - Parameter token: The word behind the last word of each report: only the handlers know it. None if it is empty.
    package static func report(to descriptor: Int32, token: String = "") {
        eaves_crash_report_to(descriptor, token)
    }

    /// Announces that the process is about to exit by itself, so that its exit is not reported.
    package static func expectExit() {
        eaves_crash_expect_exit()
    }

    /// The signal by which another process asks this one to report what its threads are doing.
    package static var question: Int32 { eaves_crash_question }

    /// Makes this process end when its parent ends, and leave no core file.
    package static func leaveNothing() {
        eaves_crash_leave_nothing()
    }
}
