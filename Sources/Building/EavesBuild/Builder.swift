// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesChild
package import EavesCompiler
import EavesDeclaration
package import EavesDiagnostics
package import EavesSystem

/// Builds modules from their source folders.
///
/// A build compiles the modules that are out of date, several at once. The compiler writes into a private folder, and
/// the finished file is renamed into its place: a running host or another build that reads the output sees the old
/// module or the new one, never a part of one. A module that fails to build keeps its old file and does not stop the
/// others. A record next to the file tells the next build what this one has made, and of what.
///
/// The files of this room, in the order of a build: `BuildRequest`, `Freshness`, `BuildRun`, `BuildOrder`,
/// `ModuleBuild`, `SourceFiles`, `EntryPoint`, `ModuleInterfaces` (with `InterfaceLookup`, `InterfaceFile` and
/// `InterfaceSources`), `BuildMethod` (with `CSources`, `PackageBuild` with `PackageManifest`, `PackageScratch`,
/// `PackageSearch` and `PackageResources`, and `CrateBuild`), `BuildRecipe`, `InterfaceCache`, `InterfaceCommand` with
/// `PackageInterface`, `Compilation`, `CompilerAdvice`, `BuildRecord` (with `RecordPlace`); `DirectRun`, which saves
/// time from the second build on; and `BuiltInterface`, which shows an interface module to `EavesReview`, and
/// `BuildInputs`, which says what to watch between two builds.
package struct Builder: Sendable {
    /// The SDK to compile against. The error, if there is none, is reported for each module that has to be compiled.
    package var sdk: Result<SDK, BuildError>
    /// The compiler. Its error is reported in the same way.
    package var toolchain: Result<Toolchain, BuildError>
    package var lookup: InterfaceLookup
    package var limit = ChildPool.coreCount
    /// How much of a compiler's output a result keeps, in bytes: its beginning and its end.
    package var outputLimit = 16 << 20
    package var usesColor: Bool
    /// The memory of a process that builds again and again; `nil` for a single build. With one, a command line
    /// that was run before is run without the compiler's driver.
    package var session: BuildSession?

    /// A builder with the SDK of a host and the compiler that the environment names.
    package init(
        forHost executable: String, environment: Environment = .current,
        lookup: InterfaceLookup = InterfaceLookup(), usesColor: Bool = false
    ) {
        sdk = Result { () throws(BuildError) in try SDK.locate(forHost: executable) }
        toolchain = Result { () throws(BuildError) in
            try Toolchain.locate(environment: environment)
        }
        self.lookup = lookup
        self.usesColor = usesColor
    }

    /// Builds the modules that are not up to date, and before them the interface modules that they name
    /// and whose sources are here.
    ///
    /// If a signal ends the process, compilers and private folders are gone before the process is.
    ///
    /// - Parameter report: Called on this thread for each event.
    /// - Returns: One result for each request, in the order of the requests; then one for each interface
    ///   module that was built for them, or could not be.
    package func build(
        _ requests: [BuildRequest], report: (BuildEvent) -> Void = { _ in }
    ) -> [BuildResult] {
        withoutActuallyEscaping(report) { report in
            Interrupts.deferred { interrupts in
                var run = BuildRun(self, requests, interrupts: interrupts, report: report)
                return run.handleAll()
            }
        }
    }

    /// The SDK and the compiler.
    ///
    /// - Parameter interrupts: The signals that end a build while a program runs; `nil` if there is no build.
    func tools(interrupts: Interrupts? = nil) throws(BuildError) -> BuildTools {
        try BuildTools(sdk.get(), toolchain.get(), interrupts: interrupts)
    }
}

package enum BuildEvent: Sendable {
    case compiling(BuildRequest)
    /// The compiler printed lines about a module: warnings, or what is wrong. Of several compilers at
    /// the same time, one is reported as it prints, and the others after it.
    case printed(BuildRequest, String)
    /// The sources of a module changed while they were compiled, so it is compiled again.
    case restarting(BuildRequest)
    /// Another build compiles the module, and this one waits: for this process, if it is known.
    case waiting(BuildRequest, for: LockHolder?)
    /// Compilers are running. Reported at least four times a second, whatever else is.
    case running(BuildStatus)
    /// A module is done, successfully or not. Reported once for each request.
    case finished(BuildResult)
}

package struct BuildResult: Sendable {
    package enum Outcome: Sendable {
        /// The module is up to date: no input has changed since it was built.
        case upToDate
        case built(Duration)
        /// The module was not built. Its old file, if there is one, is unchanged.
        case failed(BuildError)
    }

    package var request: BuildRequest
    package var outcome: Outcome
    /// The compiler's output: its errors, or the warnings of a successful build. Of more than 16 MB,
    /// the beginning and the end. ``BuildEvent/printed(_:_:)`` has reported all of it, without the messages
    /// that compilers of a package have repeated.
    package var compilerOutput: String = ""
    /// Problems that did not stop the build, such as a record that could not be written.
    package var warnings: [Diagnostic] = []

    package var id: String { request.id }

    package var isBuilt: Bool {
        if case .built = outcome { true } else { false }
    }

    package var error: BuildError? {
        if case .failed(let error) = outcome { error } else { nil }
    }
}

/// The requests of one build and the interface modules that have to be built for them, with the order that follows.
struct BuildOrder {
    /// The requests of the caller, and after them those for interface modules that they name.
    private(set) var requests: [BuildRequest]
    let givenCount: Int
    /// For each request the indices of those that are to be done before it.
    private(set) var needs: [[Int]] = []

    init(_ requests: [BuildRequest], _ builder: Builder) {
        self.requests = requests
        givenCount = requests.count
        // The list grows while it is gone through.
        var index = 0
        while index < self.requests.count {
            needs.append(addNeeds(of: self.requests[index], builder))
            index += 1
        }
    }

    private mutating func addNeeds(of request: BuildRequest, _ builder: Builder) -> [Int] {
        // A mistake in the file is reported when the request's turn comes.
        let file = Path.join(request.folder, ModuleDeclaration.fileName)
        let needs = (try? ModuleDeclaration.load(file))?.interfaces ?? []
        return needs.compactMap { need in
            if let known = requests.firstIndex(where: { $0.id == need.id }) { return known }
            guard !builder.lookup.linked.contains(where: { $0.id == need.id }),
                var found = builder.lookup.place(of: need.id, for: request)?.request,
                (try? found.source().declaration.layer) == .interface
            else { return nil }
            // A file that was dropped in is used as it is.
            if case .foreign = builder.freshness(of: found) { return nil }
            // An optimised module gets optimised interfaces. A module for debugging works with both kinds.
            if request.configuration == .release { found.configuration = .release }
            requests.append(found)
            return requests.count - 1
        }
    }

    /// The ids of a circle that a request belongs to, or leads to. The first is also the last.
    func circle(from index: Int, among waiting: Set<Int>) -> [String] {
        var way = [index]
        while let next = needs[way[way.count - 1]].first(where: waiting.contains) {
            if let start = way.firstIndex(of: next) {
                return (way[start...] + [next]).map { requests[$0].id }
            }
            way.append(next)
        }
        return way.map { requests[$0].id }
    }
}
