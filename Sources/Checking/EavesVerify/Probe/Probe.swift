// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesHost
import EavesLoader
import EavesProcess
import EavesSystem
import Glibc

/// Runs a module's code for the verifying process, in a process of its own.
package struct Probe: Sendable {
    private let request: ProbeRequest
    private let channel: ProbeChannel

    /// The descriptor of the channel to the verifying process.
    package static let descriptor: Int32 = 3

    /// Waits for the request of the verifying process.
    ///
    /// - Returns: `nil` if no verifying process has started this one.
    package init?() {
        guard let (channel, request) = ProbeChannel.open(Self.descriptor) else { return nil }
        self.channel = channel
        self.request = request
    }

    /// Whether the request is to launch a feature, which needs the main thread.
    var launchesFeature: Bool { request.feature != nil }

    /// Watches for crashes, and raises the wall, if the request wants one. The first call, on the main thread, before
    /// there is another one.
    ///
    /// - Returns: The module of the request, none of whose code has run.
    func prepare() -> ProbedModule {
        CrashWatch.leaveNothing()
        CrashWatch.begin()
        CrashWatch.watchThread()
        CrashWatch.report(to: channel.descriptor, token: channel.secret)
        let module = ProbedModule(request) { channel.report(.reached($0)) }
        guard let permissions = request.permissions else { return module }
        var isTold = false
        module.raiseWall(permissions) {
            channel.report(.walled(Int($0)))
            isTold = true
        }
        if !isTold { channel.report(.walled(-1)) }
        return module
    }

    /// Runs the checks of the request, one after the other. The caller then has to exit.
    func run(_ module: ProbedModule) {
        var unmet: Set<String> = []
        for check in DynamicChecks.all where request.checks.contains(check.id) {
            // The verifying process reports that it is skipped, and why.
            guard unmet.isDisjoint(with: check.presupposes) else {
                unmet.insert(check.id)
                continue
            }
            channel.report(.started(check.id))
            // The exit itself is the check.
            if case .exit = check.action {
                CrashWatch.expectExit()
                return
            }
            guard case .call(let method) = check.action else { continue }
            let conclusion = module.conclusion { try method(module)() }
            if case .failed = conclusion { unmet.insert(check.id) }
            ProbeOutput.flush()
            channel.report(.finished(check.id, conclusion))
        }
        channel.report(.leaving)
        CrashWatch.expectExit()
    }

    /// Launches the feature of the request, once for each check of the request that launches one. The
    /// caller then has to exit.
    func runFeature(_ module: ProbedModule) async {
        for check in DynamicChecks.all where request.checks.contains(check.id) {
            guard case .launch(let method) = check.action else { continue }
            channel.report(.started(check.id))
            let conclusion: CheckConclusion
            do {
                conclusion = try await method(module)(request.feature ?? "")
            } catch {
                conclusion = module.failure(error)
            }
            ProbeOutput.flush()
            channel.report(.finished(check.id, conclusion))
        }
        channel.report(.leaving)
        CrashWatch.expectExit()
    }
}

// SAFETY: used by one task of the probe, one report after the other.
/// The probe's end of the channel. After each report it waits for the answer, a token that its next report has to
/// bring: a report that code of the module writes is not the one that is due.
final class ProbeChannel: @unchecked Sendable {
    let descriptor: Int32
    /// The word that the crash handler's reports end with.
    let secret: String
    private var token: String

    /// A high number that no module expects: one that closes or writes to a descriptor which it did
    /// not open does not meet this one.
    private static let place: Int32 = 500

    private init(_ descriptor: Int32, secret: String, token: String) {
        self.descriptor = descriptor
        self.secret = secret
        self.token = token
    }

    /// Waits for the opening of the verifying process.
    ///
    /// - Parameter inherited: The descriptor that the process was started with.
    /// - Returns: `nil` if nothing like it comes.
    static func open(_ inherited: Int32) -> (ProbeChannel, ProbeRequest)? {
        guard let content = Frame.read(from: inherited),
            let opening = try? Frame.value(ProbeOpening.self, in: content)
        else { return nil }
        let moved = fcntl(inherited, F_DUPFD_CLOEXEC, Self.place)
        if moved >= 0 { close(inherited) }
        let channel = ProbeChannel(
            moved >= 0 ? moved : inherited, secret: opening.secret, token: opening.token)
        return (channel, opening.request)
    }

    /// Writes a report, and waits for the answer. If the verifying process is gone, or code of the module has
    /// closed the channel, this process ends.
    func report(_ report: ProbeReport) {
        let message = ProbeMessage(report: report, token: token)
        let isWritten = ((try? Frame.bytes(of: message)) ?? []).withUnsafeBufferPointer {
            OpenFile.write($0, to: descriptor)
        }
        guard isWritten else { _exit(FailureCode.crashed.rawValue) }
        if case .leaving = report { return }
        guard let answer = Frame.read(from: descriptor),
            let next = try? Frame.value(String.self, in: answer)
        else { _exit(FailureCode.crashed.rawValue) }
        token = next
    }
}

/// The output of the probe's process. Standard output and standard error both lead into one file in
/// memory, which the verifying process reads.
enum ProbeOutput {
    /// Writes everything that C functions and `print` have buffered.
    static func flush() { fflush(nil) }

    /// The number of bytes printed so far, including those that were buffered.
    static var size: Int {
        flush()
        var status = stat()
        return fstat(STDOUT_FILENO, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The largest size of the output, and of any file that the module writes, in bytes.
    private static let limit: UInt = 256 << 20

    /// From now on, a signal ends the process when a file that it writes exceeds the limit.
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
