// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Runs child processes side by side, up to a limit, and collects what they write.
///
/// One thread, one `poll`: every child's output is read as soon as there is any, so that none of
/// them ever waits for another one.
package struct ChildPool {
    /// How many children run at once, at most.
    package var limit: Int
    /// How much of a child's output is kept; what comes after it is read and dropped. In bytes.
    package var outputLimit: Int

    /// - Parameter limit: As many as there are cores, unless said.
    package init(limit: Int = Self.coreCount, outputLimit: Int = 16 << 20) {
        self.limit = max(1, limit)
        self.outputLimit = outputLimit
    }

    /// The processor cores that are switched on.
    package static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Runs children until there is nothing more to run and all have ended.
    ///
    /// - Parameters:
    ///   - interrupts: When a signal comes in, nothing more is started and what runs is ended.
    ///   - next: The next child to start, with a tag to know it by; `nil` while there is none. It is
    ///     asked again after each child that ends.
    ///   - finished: Called once for each child, in the order they end. A child that cannot be
    ///     started is an error.
    package func run<Tag>(
        interrupts: Interrupts? = nil,
        next: () -> (Tag, ChildCommand)?,
        finished: (Tag, Result<ChildReport, SystemError>) -> Void
    ) {
        var loop = ChildLoop<Tag>(interrupts: interrupts, outputLimit: outputLimit)
        while true {
            while loop.count < limit, interrupts?.signal == nil, let (tag, command) = next() {
                do throws(SystemError) {
                    loop.add(tag, try ChildProcess(command))
                } catch {
                    finished(tag, .failure(error))
                }
            }
            if loop.count == 0 { return }
            for (tag, report) in loop.turn() { finished(tag, .success(report)) }
        }
    }

    /// Runs one child and waits for it.
    package static func run(
        _ command: ChildCommand, interrupts: Interrupts? = nil
    ) throws(SystemError) -> ChildReport {
        var waiting: ChildCommand? = command
        var result = Result<ChildReport, SystemError>.failure(
            SystemError(.run, command.executable, Errno(rawValue: EINTR)))
        ChildPool(limit: 1).run(interrupts: interrupts) {
            defer { waiting = nil }
            return waiting.map { ((), $0) }
        } finished: {
            result = $1
        }
        return try result.get()
    }
}
