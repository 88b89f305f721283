// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesCode
import EavesCompiler
import EavesELF
import EavesProcess
import EavesSystem
import EavesTrust

/// One run of the driver, done without the driver: as the jobs that the driver has listed.
///
/// A state machine: it says which child is to be started next, and hears of the end of each. Jobs that do not
/// need each other run at the same time. Whatever goes wrong ends it with ``Outcome/failed``: then the driver
/// itself is to do the work, and to say what is wrong.
struct DirectRun {
    enum Outcome {
        case done(output: [UInt8], Duration)
        case failed
    }

    enum Part: Hashable, Sendable {
        /// The driver, which lists its jobs.
        case planning
        case job(Int)
        /// The compiler of C, which prints the command line of the linker.
        case askingForLinker
    }

    private enum State { case waiting, running, done }

    let command: DriverCommand
    private let driver: ChildCommand
    private let texts: VaryingTexts
    /// The name by which the session knows the plan: of the module's file, and of the file that this run writes.
    private let name: String
    private let target: String
    private let tools: String
    private let session: BuildSession
    private let started = ContinuousClock.now
    private var known: KnownPlan?
    private var isPlanning = false
    private var states: [State] = []
    private var outputs: [[UInt8]] = []
    /// The requests of the object files to the linker; `nil` before they are read, or if they cannot be.
    private var requests: [[UInt8]]?
    private var runningCount = 0
    private var hasFailed = false
    private(set) var outcome: Outcome?

    /// - Parameters:
    ///   - driver: The command line of the driver, whose `TMPDIR` is the private folder.
    ///   - module: The `.so` that is built.
    /// - Returns: `nil` if the driver has to do it: its jobs are not kept, another program decides how the
    ///   compiler is called, or the jobs are known to be of another kind.
    init?(_ driver: ChildCommand, for module: String, _ builder: Builder, _ tools: BuildTools) {
        guard let session = builder.session, driver.executable == tools.toolchain.swiftc,
            tools.wrapperDigest == nil, let identity = tools.compilerIdentity,
            // The jobs for a list of files change with its content.
            !driver.arguments.contains(where: { $0.hasPrefix("@") }),
            let folder = tools.compiler.toolFolder, let scratch = driver.environment["TMPDIR"],
            let target = driver.arguments.value(of: "-o")
        else { return nil }
        let texts = VaryingTexts(of: driver.arguments, folder: scratch)
        guard let command = DriverCommand(driver, texts, compiler: identity) else { return nil }
        self.target = target
        name = module + "/" + Path.name(of: target)
        let known = session.plan(of: command, for: name)
        if let known, known.plan == nil { return nil }
        self.driver = driver
        self.command = command
        self.texts = texts
        self.tools = folder
        self.session = session
        if let known { begin(known) }
    }

    private mutating func begin(_ known: KnownPlan) {
        self.known = known
        guard let plan = known.plan else { return hasFailed = true }
        states = plan.jobs.map { _ in .waiting }
        outputs = plan.jobs.map { _ in [] }
        for folder in plan.folders {
            // A job whose folder is missing fails, and the driver takes its place.
            try? Files.createFolder(texts.unmarked(folder), mode: 0o700)
        }
    }

    /// The next child to start; `nil` if there is none at present.
    mutating func next() -> (Part, ChildCommand)? {
        if hasFailed || outcome != nil { return nil }
        let found = nextPart()
        if found != nil { runningCount += 1 }
        return found
    }

    private mutating func nextPart() -> (Part, ChildCommand)? {
        guard let known, let plan = known.plan else {
            if isPlanning { return nil }
            isPlanning = true
            return (.planning, child(driver.executable, ["-driver-print-jobs"] + driver.arguments))
        }
        for index in plan.jobs.indices where states[index] == .waiting {
            let job = plan.jobs[index]
            guard job.needs.allSatisfy({ states[$0] == .done }) else { continue }
            switch job.kind {
            case .frontend: break
            case .autolink:
                requests = Self.requests(of: job, texts)
                if let linker = known.linker, linker.requests == requests {
                    // The linker's command line has what this job would find out.
                    states[index] = .done
                    return nextPart()
                }
            case .link:
                if let requests, let linker = known.linker, linker.requests == requests {
                    states[index] = .running
                    return (
                        .job(index), child(linker.executable, linker.arguments.map(texts.unmarked))
                    )
                }
                if known.hasLinker, requests != nil {
                    states[index] = .running
                    return (
                        .askingForLinker,
                        child(job.executable, ["-###"] + job.arguments.map(texts.unmarked))
                    )
                }
            }
            states[index] = .running
            return (.job(index), child(job.executable, job.arguments.map(texts.unmarked)))
        }
        return nil
    }

    private func child(_ executable: String, _ arguments: [String]) -> ChildCommand {
        var command = driver
        command.executable = executable
        command.arguments = arguments
        return command
    }

    /// The names of libraries that object files ask for; `nil` if one cannot be read.
    private static func requests(of job: DriverPlan.Job, _ texts: VaryingTexts) -> [[UInt8]]? {
        var requests: [[UInt8]] = []
        for argument in job.arguments.map(texts.unmarked) where argument.hasSuffix(".o") {
            do throws(ELFError) {
                let section = try ELFSource.section(
                    named: ".swift1_autolink_entries", ofObject: argument, limit: 1 << 20)
                requests.append(section ?? [])
            } catch {
                return nil
            }
        }
        return requests
    }

    mutating func finish(_ part: Part, _ result: Result<ChildReport, SystemError>) {
        runningCount -= 1
        if case .success(let report) = result, report.ending.isSuccess, !report.isOutputCut {
            note(part, report.output)
        } else {
            hasFailed = true
        }
        if hasFailed, runningCount == 0 { outcome = .failed }
    }

    private mutating func note(_ part: Part, _ output: [UInt8]) {
        switch part {
        case .planning:
            let plan = DriverPlan(
                jobs: String(decoding: output, as: UTF8.self), output: target, tools: tools, texts)
            let known = KnownPlan(command: command, plan: isTrusted(plan) ? plan : nil)
            session.keep(known, for: name)
            begin(known)
        case .askingForLinker:
            guard let last = states.indices.last, var known else { return hasFailed = true }
            known.linker = LinkerCommand(
                printed: String(decoding: output, as: UTF8.self), requests: requests ?? [],
                tools: tools, texts)
            known.hasLinker = known.linker != nil
            self.known = known
            session.keep(known, for: name)
            states[last] = .waiting
        case .job(let index):
            states[index] = .done
            outputs[index] = output
            if states.allSatisfy({ $0 == .done }) {
                session.noteSuccess(of: command, for: name)
                outcome = .done(output: Array(outputs.joined()), started.duration(to: .now))
            }
        }
    }

    /// Whether no other user can change the programs that the jobs run.
    private func isTrusted(_ plan: DriverPlan?) -> Bool {
        let finder = ToolFinder(searchPath: driver.environment["PATH"])
        let programs = Set(plan?.jobs.map(\.executable) ?? []).union([Path.join(tools, "ld.lld")])
        return programs.allSatisfy { finder.trustError(of: $0) == nil }
    }

    func noteFailure() { session.noteFailure(of: command, for: name) }
}
