// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// Makes modules of source folders.
///
/// Compiles only what changed, several at once, each into a private folder from which it is renamed
/// into its place: whoever reads the output, a running host or another build, sees the old module or
/// the new one. What fails leaves the old one and does not stop the others.
package struct Builder: Sendable {
    /// Why there is none is told by each module that would need it.
    package var sdk: Result<SDK, BuildError>
    package var toolchain: Result<Toolchain, BuildError>
    /// How many modules are compiled at once.
    package var limit: Int
    /// Whether the compiler colours what it prints.
    package var usesColor: Bool
    /// `nil`: nothing is remembered, so that every look reads all sources.
    let records: RecordStore?

    /// - Parameters:
    ///   - store: The folder `.eaves`, created when it is needed.
    package init(
        sdk: Result<SDK, BuildError>, toolchain: Result<Toolchain, BuildError>, store: String?,
        limit: Int = ChildPool.coreCount, usesColor: Bool = false
    ) {
        self.sdk = sdk
        self.toolchain = toolchain
        self.limit = limit
        self.usesColor = usesColor
        records = store.map(RecordStore.init)
    }

    /// With the SDK of a host, and the compiler that the environment names.
    package init(
        besides executable: String, store: String?, environment: Environment = .current,
        usesColor: Bool = false
    ) {
        self.init(
            sdk: Result { () throws(BuildError) in try SDK.locate(besides: executable) },
            toolchain: Result { () throws(BuildError) in
                try Toolchain.locate(environment: environment)
            },
            store: store, usesColor: usesColor)
    }

    /// Whether a module has to be built, by a look at the files' stats: nothing is read but a small
    /// record, and nothing is run.
    ///
    /// Without a record, as after somebody removed the store, a file that is there is `foreign`.
    /// Where there is no SDK or no compiler, they count as unchanged.
    package func freshness(of request: BuildRequest) -> Freshness {
        guard let output = FileStamp(path: request.output) else { return .missing }
        switch records?.entry(request.id) {
        case nil, .absent: return .foreign
        case .damaged: return .stale
        case .record(let record):
            guard record.isOurs(output, of: request) else { return .foreign }
            return isCurrent(record, request) ? .fresh : .stale
        }
    }

    /// Whether ``freshness(of:)`` is `fresh`.
    package func isFresh(_ request: BuildRequest) -> Bool {
        freshness(of: request) == .fresh
    }

    /// Builds what is not up to date.
    ///
    /// When the process is told to end, compilers and private folders are gone before it does.
    ///
    /// - Parameter report: Called on this thread as things happen.
    /// - Returns: One result a request, in the order of the requests.
    package func build(
        _ requests: [BuildRequest], report: (BuildEvent) -> Void = { _ in }
    ) -> [BuildResult] {
        Interrupts.deferred { interrupts in
            var run = BuildRun(self, requests, interrupts: interrupts)
            return run.results(report)
        }
    }

    private func isCurrent(_ record: BuildRecord, _ request: BuildRequest) -> Bool {
        guard record.folder == request.folder,
            request.configuration.map({ $0 == record.configuration }) ?? true
        else { return false }
        if case .success(let sdk) = sdk, SDKStamps(sdk) != record.sdk { return false }
        if case .success(let toolchain) = toolchain,
            FileStamp(path: toolchain.swiftc) != record.compiler
        {
            return false
        }
        return (try? SourceFiles(request.folder))?.files == record.files
    }
}
