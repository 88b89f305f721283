// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDiagnostics
import EavesLoader
import EavesManifest
import EavesProcess
import EavesRules
import EavesSystem
import Glibc

/// Runs a module's code for the verifying process, in a process of its own.
package struct Probe: Sendable {
    private let channel: ProbeChannel
    private var request: ProbeRequest { channel.request }

    /// The descriptors of the channel to the verifying process, and of the pipe that crashes are reported on.
    package static let descriptors: (channel: Int32, reports: Int32) = (3, 4)

    /// Waits for the request of the verifying process.
    ///
    /// - Returns: `nil` if no verifying process has started this one.
    package init?() {
        guard let channel = ProbeChannel(Self.descriptors.channel) else { return nil }
        self.channel = channel
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
        CrashWatch.report(
            to: ProbeChannel.moved(Self.descriptors.reports), token: channel.secret)
        let module = ProbedModule(request) { channel.report(.reached($0)) }
        if let permissions = request.permissions {
            module.raiseWall(permissions, decidedOn: channel.descriptor)
        }
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
            let conclusion: CheckConclusion
            do {
                conclusion = try method(module)()
            } catch {
                conclusion = module.failure(error)
            }
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
    let request: ProbeRequest
    /// The word that the crash handler's reports end with.
    let secret: String
    private var token: String

    /// A high number that no module expects: one that closes or writes to a descriptor which it did
    /// not open does not meet this one.
    private static let place: Int32 = 500

    /// Waits for the opening of the verifying process.
    ///
    /// - Parameter inherited: The descriptor that the process was started with.
    /// - Returns: `nil` if nothing like it comes.
    init?(_ inherited: Int32) {
        guard let content = Frame.read(from: inherited),
            let opening = try? Frame.value(ProbeOpening.self, in: content)
        else { return nil }
        descriptor = Self.moved(inherited)
        (request, secret, token) = (opening.request, opening.secret, opening.token)
    }

    /// Moves a descriptor to a number that no module expects.
    static func moved(_ inherited: Int32) -> Int32 {
        let moved = fcntl(inherited, F_DUPFD_CLOEXEC, place)
        if moved >= 0 { close(inherited) }
        return moved >= 0 ? moved : inherited
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
        return (try? FileStatus(of: STDOUT_FILENO, "the output"))?.size ?? 0
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

/// The verifying process's request to the probe.
struct ProbeRequest: Hashable, Codable, Sendable {
    var id: String
    /// Its file as the user sees it.
    var path: String
    /// Its file, as an absolute path.
    var file: String
    /// The digest that the manifest pins.
    var sha256: String?
    /// The manifest's path; `nil` if there is none.
    var manifest: String?
    /// The ids of the checks to run, in order.
    var checks: [String]
    /// The feature to launch, for checks that launch one.
    var feature: String?
    /// The rights that the module keeps, with absolute paths; `nil` if it keeps those of the user.
    var permissions: Permissions?

    init(
        _ module: InspectedModule, checks: [String], feature: String? = nil,
        permissions: Permissions? = nil
    ) {
        id = module.entry.id
        path = module.entry.path
        file = module.entry.file
        sha256 = module.entry.sha256
        manifest = module.manifest?.path
        self.checks = checks
        self.feature = feature
        self.permissions = permissions
    }
}

/// The first message that a probe gets.
struct ProbeOpening: Hashable, Codable, Sendable {
    let request: ProbeRequest
    /// The word that the crash handler's reports end with.
    let secret: String
    /// The word that the first report has to bring.
    let token: String
}

/// One report of the probe. The probe waits for the answer to each before it goes on, except to ``leaving``.
enum ProbeReport: Hashable, Codable, Sendable {
    /// A check is about to begin.
    case started(String)
    /// Within a check: the module's code is about to be run for the first time, or has been.
    case reached(ProbeMoment)
    case finished(String, CheckConclusion)
    /// All checks have ended, and the probe is about to exit.
    case leaving
}

/// A report as it goes over the channel.
struct ProbeMessage: Hashable, Codable, Sendable {
    let report: ProbeReport
    /// The latest word that the verifying process has sent.
    let token: String
}

/// The moments at which the verifying process looks at the probe from outside.
enum ProbeMoment: String, Hashable, Codable, Sendable, CaseIterable {
    /// No code of the module has run.
    case unloaded
    /// Its constructors have returned.
    case loaded
    /// Its entry point has returned.
    case registered
}

/// The order in which a probe has to report: it accepts a report only when that one is due, and only with the
/// latest token, which the module's code was not told. A pure value, which the verifying process asks.
struct ProbeDialogue {
    /// The word that the next report has to bring.
    private(set) var token = Self.newToken()
    /// The word that the crash handler's reports end with.
    let secret = Self.newToken()
    /// Whether the probe has lived on after its last check.
    private(set) var hasLeft = false
    /// The checks that have not begun, in order.
    private var due: ArraySlice<String>
    private var running: String?
    private var moments = ProbeMoment.allCases[...]

    init(checks: [String]) { due = checks[...] }

    var hasChecks: Bool { !due.isEmpty }

    /// Takes a report, and makes the next token.
    ///
    /// - Returns: Whether the report was due.
    mutating func accept(_ report: ProbeReport, _ token: String) -> Bool {
        guard token == self.token, !hasLeft else { return false }
        switch report {
        case .started(let check):
            // The probe leaves out checks whose presupposed ones failed.
            guard running == nil, let place = due.firstIndex(of: check) else { return false }
            due = due[(place + 1)...]
            running = check
        case .reached(let moment):
            guard running != nil, moments.first == moment else { return false }
            moments.removeFirst()
        case .finished(let check, _):
            guard running == check else { return false }
            running = nil
        case .leaving:
            guard running == nil else { return false }
            hasLeft = true
        }
        self.token = Self.newToken()
        return true
    }

    private static func newToken() -> String {
        let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
