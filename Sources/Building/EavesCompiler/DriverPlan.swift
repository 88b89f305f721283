// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
package import EavesProcess
import EavesSystem
import Synchronization

/// A command line of the driver, without what differs from one build of a module to the next. Two builds with
/// equal ones have the same jobs.
package struct DriverCommand: Hashable, Sendable {
    private let executable: String
    private let arguments: [String]
    private let environment: Environment
    private let folder: String
    /// The state of the driver's file.
    private let compiler: BuildIdentity

    /// - Returns: `nil` if a word of the command has a byte that would be taken for a mark.
    package init?(_ command: ChildCommand, _ texts: VaryingTexts, compiler: BuildIdentity) {
        let words = command.arguments
        guard !words.contains(where: { $0.utf8.contains(VaryingTexts.markByte) }) else {
            return nil
        }
        executable = command.executable
        arguments = words.map(texts.marked)
        var environment = command.environment
        environment["TMPDIR"] = nil
        self.environment = environment
        folder = command.folder ?? Path.current
        self.compiler = compiler
    }
}

/// The jobs that the driver starts for a command line, as the driver itself has listed them.
///
/// The driver takes a good part of the time in which a small module is compiled: it asks the frontend about the
/// target each time, and starts one job after the other. The list is the same from build to build, except for
/// ``VaryingTexts``.
package struct DriverPlan: Sendable {
    package struct Job: Sendable {
        package enum Kind: Sendable {
            /// Compiles, or wraps what was compiled into an object file.
            case frontend
            /// A job that writes the linker options that object files ask for into a file.
            case autolink
            case link
        }

        package let kind: Kind
        package let executable: String
        /// With marks.
        package let arguments: [String]
        package let needs: [Int]
    }

    package let jobs: [Job]
    /// The folders below the private one that the driver makes for its files. With marks.
    package let folders: [String]

    private static let kinds: [String: Job.Kind] = [
        "swift-frontend": .frontend, "swift-autolink-extract": .autolink, "clang": .link,
    ]
    /// The beginning of the name of a folder that the driver makes.
    private static let folderName = "TemporaryDirectory."
    /// Options whose values are in further files, which only the driver writes.
    private static let optionsOfLists: Set<String> = [
        "-filelist", "-output-filelist", "-primary-filelist", "-supplementary-output-file-map",
        "-index-unit-output-path-filelist",
    ]

    /// Reads the list that `swiftc -driver-print-jobs` prints.
    ///
    /// - Parameter tools: The folder of the toolchain's programs: no other program is started.
    /// - Returns: `nil` if the list has anything that is not known.
    package init?(jobs text: String, output: String, tools: String, _ texts: VaryingTexts) {
        var jobs: [Job] = []
        // The files that each job mentions among the driver's own, and writes.
        var files: [Set<String>] = []
        var folders: Set<String> = []
        for line in text.split(separator: "\n") {
            guard let words = Self.words(of: line), let executable = words.first,
                Path.parent(of: executable) == tools,
                let kind = Self.kinds[Path.name(of: executable)]
            else { return nil }
            let arguments = words.dropFirst().map(texts.marked)
            guard Self.optionsOfLists.isDisjoint(with: arguments) else { return nil }
            var own: Set<String> = []
            for word in arguments {
                let isList = word.hasPrefix("@")
                let path = isList ? String(word.dropFirst()) : word
                if let folder = Self.folder(of: path) {
                    folders.insert(folder)
                    own.insert(path)
                }
                // A file with arguments is only known if a job before has written it.
                if isList, !files.contains(where: { $0.contains(path) }) { return nil }
            }
            if let output = arguments.value(of: "-o") { own.insert(output) }
            let needs = files.indices.filter { !files[$0].isDisjoint(with: own) }
            jobs.append(
                Job(kind: kind, executable: executable, arguments: arguments, needs: needs))
            files.append(own)
        }
        let isWritten = files.contains { $0.contains(texts.marked(output)) }
        guard isWritten, folders.count <= 1, jobs.dropLast().allSatisfy({ $0.kind != .link })
        else { return nil }
        self.jobs = jobs
        self.folders = folders.sorted()
    }

    /// The words of one line; `nil` if a quote is not closed, or the line has a comment.
    static func words(of line: some StringProtocol) -> [String]? {
        let line = ShellLine(line)
        return line.unfinished == nil && !line.hasComment ? line.words : nil
    }

    /// The folder of the driver that a path is in.
    private static func folder(of path: String) -> String? {
        let start = VaryingTexts.folderMark + "/" + folderName
        guard path.hasPrefix(start) else { return nil }
        let name = path.dropFirst(VaryingTexts.folderMark.count + 1).prefix { $0 != "/" }
        return VaryingTexts.folderMark + "/" + name
    }
}

/// The linker's own command line, which the compiler of C makes of a ``DriverPlan``'s last job.
package struct LinkerCommand: Hashable, Sendable {
    package let executable: String
    /// With marks.
    package let arguments: [String]
    /// The requests of the object files when the command line was made.
    package let requests: [[UInt8]]

    /// Reads what `clang -###` prints.
    ///
    /// - Returns: `nil` if that is not one command line of the linker.
    package init?(printed text: String, requests: [[UInt8]], tools: String, _ texts: VaryingTexts) {
        let lines = text.split(separator: "\n").filter { $0.hasPrefix(" \"") }
        guard lines.count == 1, let words = DriverPlan.words(of: lines[0]),
            let executable = words.first, Path.parent(of: executable) == tools,
            Path.name(of: executable) == "ld.lld", !words.contains(where: { $0.hasPrefix("@") })
        else { return nil }
        self.executable = executable
        self.requests = requests
        arguments = words.dropFirst().map(texts.marked)
    }
}

/// The memory of a process that builds again and again, such as `eaves build --watch`: what it need not find
/// out anew for each build.
///
/// Everything in it is kept with what it depends on. Any thread may use it.
package final class BuildSession: Sendable {
    private let known = Mutex<[String: KnownPlan]>([:])

    package init() {}

    /// Returns the known jobs of a command line that writes an output.
    package func plan(of command: DriverCommand, for output: String) -> KnownPlan? {
        plans[output].flatMap { $0.command == command ? $0 : nil }
    }

    var plans: [String: KnownPlan] { known.withLock { $0 } }

    package func keep(_ plan: KnownPlan, for output: String) {
        known.withLock { $0[output] = plan }
    }

    /// Notes that the jobs of a plan failed where the driver itself did not. After a few times, the driver is
    /// left to do it.
    package func noteFailure(of command: DriverCommand, for output: String) {
        known.withLock { plans in
            guard var known = plans[output], known.command == command else { return }
            known.failureCount += 1
            known.linker = nil
            if known.failureCount >= Self.maximumFailures { known.plan = nil }
            plans[output] = known
        }
    }

    package func noteSuccess(of command: DriverCommand, for output: String) {
        known.withLock { plans in
            if plans[output]?.command == command { plans[output]?.failureCount = 0 }
        }
    }

    /// A source that is mended between the two gives one failure, too.
    private static let maximumFailures = 3
}

/// The jobs of one command line, as a session knows them.
package struct KnownPlan: Sendable {
    let command: DriverCommand
    /// `nil` if only the driver knows how to run its jobs.
    package var plan: DriverPlan?
    package var linker: LinkerCommand?
    /// Whether the compiler of C prints a command line of the linker that can be used.
    package var hasLinker = true
    var failureCount = 0

    package init(command: DriverCommand, plan: DriverPlan?) {
        self.command = command
        self.plan = plan
    }
}
