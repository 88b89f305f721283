// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
import EavesCompiler
import EavesDiagnostics
import EavesProcess
import EavesSystem
import Glibc

/// Runs one call of ``Builder/build(_:report:)``: starts the compilations and collects the results.
struct BuildRun {
    private struct Tag {
        /// The place of its request among all requests.
        var index: Int
        /// Counts from 1.
        var attempt: Int
        var compilation: Compilation
        /// The compiler's output in the runs before this one.
        var earlierOutput: [UInt8] = []
        /// How long the runs before this one took.
        var earlierDuration: Duration = .zero
        /// The child of a ``DirectRun``; `nil` for a command of the compilation.
        var part: DirectRun.Part?
        /// The run whose work the driver does after all.
        var failedRun: DirectRun?
    }

    /// How often a module is compiled at most, if its sources keep changing meanwhile.
    private static let maximumAttempts = 3

    private var builder: Builder
    private let order: BuildOrder
    private var requests: [BuildRequest] { order.requests }
    private let interrupts: Interrupts
    private var continuing: [Tag] = []
    /// The compilations that run without the driver at present, by the place of their requests.
    private var direct: [Int: (tag: Tag, run: DirectRun)] = [:]
    private var runningCount = 0
    /// The folders of packages that modules are compiled into now.
    private var busy: Set<String> = []
    /// The requests that wait for one of these.
    private var blocked: [(index: Int, attempt: Int)] = []
    /// The requests whose modules other builds compile, and of all requests those that were told to be.
    private var held: [(index: Int, attempt: Int)] = []
    private var told: Set<Int> = []
    /// The requests that have yet to be started, the next one last.
    private var waiting: [(index: Int, attempt: Int)]
    private var results: [Int: BuildResult] = [:]
    /// The modules whose compilation has begun, in that order, and has not ended.
    private var begun: [(index: Int, start: ContinuousClock.Instant, program: String?)] = []
    private var tools: Result<BuildTools, BuildError>?
    private let report: (BuildEvent) -> Void
    private var relay: OutputRelay

    init(
        _ builder: Builder, _ given: [BuildRequest], interrupts: Interrupts,
        report: @escaping (BuildEvent) -> Void
    ) {
        self.builder = builder
        order = BuildOrder(given, builder)
        let requests = order.requests
        self.builder.lookup.folders = requests.map(\.folder)
        self.interrupts = interrupts
        self.report = report
        relay = OutputRelay { report(.printed(requests[$0], $1)) }
        waiting = requests.indices.reversed().map { ($0, 1) }
    }

    /// Handles all requests. Returns their results in the order of the requests, without those of added
    /// interface modules that were up to date.
    mutating func handleAll() -> [BuildResult] {
        let pool = ChildPool(limit: builder.limit, outputLimit: builder.outputLimit)
        pool.run(interrupts: interrupts) {
            next()
        } received: { tag, piece in
            // The driver prints the same, if it has to take over.
            if tag.part == nil { relay.add(piece, of: tag.index) }
        } waiting: {
            report(.running(status))
        } finished: { tag, result in
            runningCount -= 1
            if let part = tag.part {
                finishPart(part, of: tag.index, result)
            } else {
                finish(tag, result)
            }
        }
        for index in requests.indices where results[index] == nil {
            let cause = BuildError.Cause.interrupted(signal: interrupts.signal ?? 0)
            settle(index, .failed(BuildError(requests[index].id, cause)))
        }
        removeUnusedInterfaces()
        return requests.indices.filter { !isQuiet($0) }.compactMap { results[$0] }
    }

    private var status: BuildStatus {
        var (done, count) = (0, requests.count)
        for result in results.values {
            if case .upToDate = result.outcome { count -= 1 } else { done += 1 }
        }
        let compiling = begun.map { index, start, program in
            BuildStatus.Compiling(
                id: requests[index].id, duration: start.duration(to: .now), program: program)
        }
        return BuildStatus(done: done, count: count, compiling: compiling)
    }

    /// Removes interfaces next to the outputs that no module is compiled against any more.
    private func removeUnusedInterfaces() {
        let built = results.values.filter(\.isBuilt).map(\.request)
        let folders = Dictionary(grouping: built) { Path.parent(of: $0.output) }
        for request in folders.values.compactMap(\.first) {
            let now = WallClock.now
            request.records.removeUnused(in: InterfaceCache.folderName, at: now, naming: \.texts)
            request.records.removeUnusedPackages(at: now)
        }
    }

    /// Whether a result is of no interest: the caller did not ask for the interface module, and it was up to date.
    private func isQuiet(_ index: Int) -> Bool {
        if index < order.givenCount { return false }
        return if case .upToDate = results[index]?.outcome { true } else { false }
    }

    private mutating func takeWaiting() -> (index: Int, attempt: Int)? {
        let place = waiting.lastIndex { index, _ in
            order.needs[index].allSatisfy { results[$0] != nil || $0 == index }
        }
        if let place { return waiting.remove(at: place) }
        // No compilation runs that could end the wait: the requests that are left wait for each other.
        guard runningCount == 0, continuing.isEmpty, held.isEmpty,
            let (index, _) = waiting.popLast()
        else { return nil }
        let circle = order.circle(from: index, among: Set(waiting.map(\.index) + [index]))
        settle(index, .failed(BuildError(requests[index].id, .interfaces([.cycle(circle)]))))
        return takeWaiting()
    }

    /// The next compilation; settles the requests before it that need none.
    private mutating func next() -> (Tag, ChildCommand)? {
        while interrupts.signal == nil {
            // Other builds may have ended.
            let isFree = held.contains {
                if case .taken = requests[$0.index].records.claim() { true } else { false }
            }
            if isFree { (waiting, held) = (waiting + held, []) }
            if let found = nextCompilation() {
                runningCount += 1
                return found
            }
            if runningCount > 0 || held.isEmpty { return nil }
            poll(nil, 0, 50)
        }
        return nil
    }

    private mutating func nextCompilation() -> (Tag, ChildCommand)? {
        for index in direct.keys.sorted() {
            guard let (part, command) = direct[index]?.run.next(), var tag = direct[index]?.tag
            else { continue }
            tag.part = part
            return (tag, command)
        }
        if let tag = continuing.popLast() { return start(tag) }
        while let (index, attempt) = takeWaiting() {
            do throws(BuildError) {
                try checkNeeds(of: index)
                switch try begin(index) {
                case .upToDate(let warnings):
                    settle(index, .upToDate, "", warnings)
                case .waiting:
                    blocked.append((index, attempt))
                case .held(let holder):
                    held.append((index, attempt))
                    if told.insert(index).inserted {
                        report(.waiting(requests[index], for: holder))
                    }
                case .compiling(let compilation):
                    if let path = compilation.scratch?.path { busy.insert(path) }
                    if attempt == 1 { report(.compiling(requests[index])) }
                    if !begun.contains(where: { $0.index == index }) {
                        begun.append((index, .now, compilation.recipe.method.program))
                    }
                    relay.begin(
                        index,
                        entryPrefix: compilation.recipe.method.entryPoint?
                            .shownPrefix(for: compilation.request),
                        isHeldBack: compilation.recipe.method.holdsOutput,
                        repeatsMessages: compilation.recipe.method.repeatsMessages)
                    return start(Tag(index: index, attempt: attempt, compilation: compilation))
                }
            } catch {
                // An error of the tools is reported for each module that needs them.
                settle(index, .failed(BuildError(requests[index].id, error.cause)))
            }
        }
        return nil
    }

    /// Starts the next command of a compilation: without the driver, if its jobs are known or can be.
    private mutating func start(_ tag: Tag) -> (Tag, ChildCommand) {
        let command = tag.compilation.command
        guard tag.failedRun == nil, case .success(let tools)? = tools,
            var run = DirectRun(command, for: requests[tag.index].output, builder, tools),
            let (part, child) = run.next()
        else { return (tag, command) }
        direct[tag.index] = (tag, run)
        var first = tag
        first.part = part
        return (first, child)
    }

    /// Takes note of the end of a child of a direct run, and of the run's end if it was the last one.
    private mutating func finishPart(
        _ part: DirectRun.Part, of index: Int, _ result: Result<ChildReport, SystemError>
    ) {
        direct[index]?.run.finish(part, result)
        guard let (begun, run) = direct[index], let outcome = run.outcome else { return }
        var tag = begun
        direct[index] = nil
        switch outcome {
        case .done(let output, let duration):
            relay.add(output, of: index)
            let done = ChildReport(
                ending: .exited(0), output: output, isOutputCut: false, duration: duration)
            finish(tag, .success(done))
        case .failed:
            tag.failedRun = run
            continuing.append(tag)
        }
    }

    /// Refuses to compile against an interface whose sources do not compile. If this machine cannot build
    /// it, its old file is used.
    private func checkNeeds(of index: Int) throws(BuildError) {
        let failed = order.needs[index].filter { need in
            guard let error = results[need]?.error else { return false }
            return !error.leavesOldFileInUse || BuildIdentity(path: requests[need].output) == nil
        }
        guard failed.isEmpty else {
            // A mistake in the module itself says more.
            if let error = requests[index].trustError {
                throw BuildError(requests[index].id, .untrusted(error))
            }
            let problems = failed.map { InterfaceUseProblem.notBuilt(id: requests[$0].id) }
            throw BuildError(requests[index].id, .interfaces(problems))
        }
    }

    private mutating func begin(_ index: Int) throws(BuildError) -> ModuleBuild.Beginning {
        let request = requests[index]
        if let other = requests.prefix(index).first(where: { $0.output == request.output }) {
            throw BuildError(
                request.id, .sameOutput(output: request.shownOutput, other: other.shownFolder))
        }
        if builder.isFresh(request) { return .upToDate(warnings: []) }
        return try ModuleBuild(request: request, builder: builder)
            .begin(besides: busy) { () throws(BuildError) in try sharedTools().get() }
    }

    /// The tools, looked up once for all modules, with the same error for all.
    private mutating func sharedTools() -> Result<BuildTools, BuildError> {
        if let tools { return tools }
        let (builder, interrupts) = (builder, interrupts)
        let found = Result { () throws(BuildError) in
            try builder.tools(interrupts: interrupts)
        }
        tools = found
        return found
    }

    private mutating func finish(_ tag: Tag, _ result: Result<ChildReport, SystemError>) {
        let request = requests[tag.index]
        var tag = tag
        var output = ""
        let ending: Result<(ModuleBuild.Ending, Duration), BuildError>
        do throws(BuildError) {
            let ended = try ended(result, request)
            let printed = tag.earlierOutput + ended.output
            output = String(decoding: printed, as: UTF8.self)
            tag.earlierDuration += ended.duration
            if ended.ending.isSuccess { tag.failedRun?.noteFailure() }
            tag.failedRun = nil
            let isSuccess = ended.ending.isSuccess
            if isSuccess || tag.compilation.interface?.isOptional == true {
                switch try tag.compilation.advance(failed: !isSuccess) {
                case .running:
                    tag.earlierOutput = printed
                    continuing.append(tag)
                    return
                case .fetched:
                    release(&tag)
                    relay.end(tag.index, showsRest: true)
                    waiting.append((tag.index, tag.attempt + 1))
                    return
                case .done: break
                }
            }
            let done = try ModuleBuild(request: request, builder: builder).finish(
                tag.compilation, ended.ending, output: output,
                isLast: tag.attempt == Self.maximumAttempts)
            ending = .success((done, tag.earlierDuration))
        } catch {
            ending = .failure(tag.compilation.explained(error, by: output))
        }
        release(&tag)
        let replacesOutput =
            if case .failure(let error) = ending { error.replacesOutput } else { false }
        relay.end(tag.index, showsRest: !replacesOutput)
        switch ending {
        case .success((.again, _)):
            report(.restarting(request))
            waiting.append((tag.index, tag.attempt + 1))
        case .success((.built(let warnings), let duration)):
            settle(tag.index, .built(duration), output, warnings)
        case .failure(let error):
            settle(tag.index, .failed(error), replacesOutput ? "" : output)
        }
    }

    /// Lets the next module be compiled into the folder of a package.
    private mutating func release(_ tag: inout Tag) {
        guard let path = tag.compilation.scratch?.path else { return }
        // Its file has been copied.
        tag.compilation.scratch = nil
        busy.remove(path)
        waiting += blocked
        blocked = []
    }

    private func ended(
        _ result: Result<ChildReport, SystemError>, _ request: BuildRequest
    ) throws(BuildError) -> ChildReport {
        if let signal = interrupts.signal {
            throw BuildError(request.id, .interrupted(signal: signal))
        }
        do throws(SystemError) {
            return try result.get()
        } catch {
            let reason = error.errno.description
            throw BuildError(request.id, .unusableCompiler(path: error.path, reason: reason))
        }
    }

    private mutating func settle(
        _ index: Int, _ outcome: BuildResult.Outcome, _ output: String = "",
        _ warnings: [Diagnostic] = []
    ) {
        let result = BuildResult(
            request: requests[index], outcome: outcome, compilerOutput: output, warnings: warnings)
        results[index] = result
        begun.removeAll { $0.index == index }
        if !isQuiet(index) { report(.finished(result)) }
    }
}
