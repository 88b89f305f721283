// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesHost
import EavesLoader
import EavesSystem
import Glibc

/// Runs a module's code for the verifying process, in a process of its own.
package struct Probe: Sendable {
    private let request: ProbeRequest
    private let results: ProbeResults

    /// The descriptor to which the process is started to write its results.
    package static let descriptor: Int32 = 3

    /// - Parameter json: The request that the verifying process hands over.
    /// - Returns: `nil` if it is not a request.
    package init?(json: String) {
        guard let request = ProbeRequest(json: json) else { return nil }
        self.request = request
        results = ProbeResults(Self.descriptor)
    }

    /// Whether the request is to launch a feature, which needs the main thread.
    package var launchesFeature: Bool { request.feature != nil }

    /// Runs the checks of the request, one after the other. The caller then has to exit.
    package func run() {
        prepare()
        let module = ProbedModule(request)
        var unmet: Set<String> = []
        for check in DynamicChecks.all where request.checks.contains(check.id) {
            // The verifying process reports that it is skipped, and why.
            guard unmet.isDisjoint(with: check.presupposes) else {
                unmet.insert(check.id)
                continue
            }
            results.send(.started(check.id, printed: ProbeOutput.size))
            // The exit itself is the check.
            if case .exit = check.action { break }
            guard case .call(let method) = check.action else { continue }
            let conclusion = module.conclusion { try method(module)() }
            if case .failed = conclusion { unmet.insert(check.id) }
            results.send(.finished(check.id, conclusion, printed: ProbeOutput.size))
        }
        CrashWatch.expectExit()
    }

    /// Launches the feature of the request, once for each check of the request that launches one. The
    /// caller then has to exit.
    package func runFeature() async {
        prepare()
        let module = ProbedModule(request)
        for check in DynamicChecks.all where request.checks.contains(check.id) {
            guard case .launch(let method) = check.action else { continue }
            results.send(.started(check.id, printed: ProbeOutput.size))
            let conclusion: CheckConclusion
            do {
                conclusion = try await method(module)(request.feature ?? "")
            } catch {
                conclusion = module.failure(error)
            }
            results.send(.finished(check.id, conclusion, printed: ProbeOutput.size))
        }
        CrashWatch.expectExit()
    }

    private func prepare() {
        CrashWatch.leaveNothing()
        CrashWatch.begin()
        CrashWatch.watchThread()
        CrashWatch.report(to: results.descriptor)
    }
}

/// The probe's end of the pipe to which it writes events.
struct ProbeResults: Sendable {
    let descriptor: Int32

    /// A high number that no module expects: one that closes or writes to a descriptor which it did
    /// not open does not meet this one.
    private static let place: Int32 = 500

    /// - Parameter inherited: The descriptor that the process was started with.
    init(_ inherited: Int32) {
        let moved = fcntl(inherited, F_DUPFD_CLOEXEC, Self.place)
        guard moved >= 0 else {
            descriptor = inherited
            return
        }
        close(inherited)
        descriptor = moved
    }

    /// Writes a line. If that fails, the verifying process is gone, and this one ends with it.
    func send(_ event: ProbeEvent) {
        _ = Array((event.json + "\n").utf8).withUnsafeBufferPointer {
            OpenFile.write($0, to: descriptor)
        }
    }
}

/// The output of the probe's process. Standard output and standard error both lead into one file in
/// memory, which the verifying process reads.
enum ProbeOutput {
    /// The number of bytes printed so far, including those that C functions and `print` had buffered.
    static var size: Int {
        fflush(nil)
        var status = stat()
        return fstat(STDOUT_FILENO, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The largest output in bytes, so that a loop which prints does not fill the memory.
    private static let limit: UInt = 256 << 20

    /// From now on, a signal ends the process when its output exceeds the limit.
    static func restrict() {
        var limit = rlimit(rlim_cur: limit, rlim_max: limit)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }

    /// The first 64 KB of the text printed after an offset.
    static func text(from offset: Int) -> String {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = pread(STDOUT_FILENO, &buffer, buffer.count, off_t(offset))
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
}
