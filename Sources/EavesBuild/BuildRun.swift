// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesSystem

/// Runs one call of ``Builder/build(_:report:)``: starts the compilations and collects the results.
struct BuildRun {
    /// A compilation that is running.
    private struct Tag {
        /// The place of its request among all requests.
        var index: Int
        /// Counts from 1.
        var attempt: Int
        var compilation: Compilation
        /// The place of the command that is running among those of the compilation.
        var step = 0
        /// What the commands before it printed, and how long they took.
        var output = ""
        var duration = Duration.zero

        var command: ChildCommand { compilation.commands[step] }
    }

    /// How often a module is compiled at most, if its sources keep changing meanwhile.
    private static let maximumAttempts = 3

    private let builder: Builder
    private let requests: [BuildRequest]
    private let interrupts: Interrupts
    /// The requests that have yet to be started, the next one last.
    private var waiting: [(index: Int, attempt: Int)]
    /// The compilations whose next command has yet to be started.
    private var begun: [Tag] = []
    private var results: [Int: BuildResult] = [:]
    private var tools: Result<BuildTools, BuildError>?
    private var relay = OutputRelay()

    init(_ builder: Builder, _ requests: [BuildRequest], interrupts: Interrupts) {
        self.builder = builder
        self.requests = requests
        self.interrupts = interrupts
        waiting = requests.indices.reversed().map { ($0, 1) }
    }

    /// Handles all requests. Returns their results in the order of the requests.
    mutating func results(_ report: (BuildEvent) -> Void) -> [BuildResult] {
        ChildPool(limit: builder.limit).run(interrupts: interrupts) {
            next(report)
        } received: { tag, piece in
            let requests = requests
            relay.add(piece, of: tag.index) { report(.printed(requests[$0], $1)) }
        } finished: { tag, result in
            finish(tag, result, report)
        }
        for index in requests.indices where results[index] == nil {
            let cause = BuildError.Cause.interrupted(signal: interrupts.signal ?? 0)
            settle(index, .failed(BuildError(requests[index].id, cause)), report)
        }
        return requests.indices.compactMap { results[$0] }
    }

    /// The next compilation; settles the requests before it that need none.
    private mutating func next(_ report: (BuildEvent) -> Void) -> (Tag, ChildCommand)? {
        if let tag = begun.popLast() { return (tag, tag.command) }
        while let (index, attempt) = waiting.popLast() {
            do throws(BuildError) {
                switch try begin(index) {
                case .upToDate(let warnings):
                    settle(index, .upToDate, report, "", warnings)
                case .compiling(let compilation):
                    if attempt == 1 { report(.compiling(requests[index])) }
                    relay.begin(
                        index, entryPrefix: compilation.entryPrefix,
                        isHeldBack: compilation.recipe.method.holdsOutput)
                    let tag = Tag(index: index, attempt: attempt, compilation: compilation)
                    return (tag, tag.command)
                }
            } catch {
                // An error of the tools is reported for each module that needs them.
                settle(index, .failed(BuildError(requests[index].id, error.cause)), report)
            }
        }
        return nil
    }

    private mutating func begin(_ index: Int) throws(BuildError) -> ModuleBuild.Beginning {
        let request = requests[index]
        if let other = requests.prefix(index).first(where: { $0.output == request.output }) {
            throw BuildError(
                request.id, .sameOutput(output: request.shownOutput, other: other.shownFolder))
        }
        if builder.isFresh(request) { return .upToDate(warnings: []) }
        return try ModuleBuild(request, builder).begin { () throws(BuildError) in
            try sharedTools().get()
        }
    }

    /// The tools, looked up once for all modules, with the same error for all.
    private mutating func sharedTools() -> Result<BuildTools, BuildError> {
        if let tools { return tools }
        let (builder, interrupts) = (builder, interrupts)
        let found = Result { () throws(BuildError) in
            try BuildTools(builder, interrupts: interrupts)
        }
        tools = found
        return found
    }

    private mutating func finish(
        _ tag: Tag, _ result: Result<ChildReport, SystemError>, _ report: (BuildEvent) -> Void
    ) {
        let requests = requests
        let request = requests[tag.index]
        var output = tag.output
        let ending: Result<(ModuleBuild.Ending, Duration), BuildError>
        do throws(BuildError) {
            let ended = try ended(result, request)
            output += String(decoding: ended.output, as: UTF8.self)
            let duration = tag.duration + ended.duration
            if ended.ending.isSuccess, tag.step + 1 < tag.compilation.commands.count {
                var next = tag
                (next.step, next.output, next.duration) = (tag.step + 1, output, duration)
                begun.append(next)
                return
            }
            let done = try ModuleBuild(request, builder).finish(
                tag.compilation, tag.command, ended.ending, output: output,
                isLast: tag.attempt == Self.maximumAttempts)
            ending = .success((done, duration))
        } catch {
            ending = .failure(tag.compilation.explained(error, by: output))
        }
        relay.end(tag.index, showsRest: ending.error?.replacesOutput != true) {
            report(.printed(requests[$0], $1))
        }
        switch ending {
        case .success((.again, _)):
            report(.restarting(request))
            waiting.append((tag.index, tag.attempt + 1))
        case .success((.built(let warnings), let duration)):
            settle(tag.index, .built(duration), report, output, warnings)
        case .failure(let error):
            settle(tag.index, .failed(error), report, error.replacesOutput ? "" : output)
        }
    }

    /// The compiler's report.
    ///
    /// - Throws: If the build was interrupted, or the compiler could not be started.
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
        _ index: Int, _ outcome: BuildResult.Outcome, _ report: (BuildEvent) -> Void,
        _ output: String = "", _ warnings: [Diagnostic] = []
    ) {
        let result = BuildResult(
            request: requests[index], outcome: outcome, compilerOutput: output, warnings: warnings)
        results[index] = result
        report(.finished(result))
    }
}

extension Result {
    fileprivate var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
