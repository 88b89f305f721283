// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem
import Glibc
import Synchronization

/// A module that a running host has swapped in and still judges. The store knows of it, so that one crash is enough:
/// the next process keeps the module out.
package struct Trial: Hashable, Sendable {
    package let module: SuspectModule
    package let sha256: String
    package let generation: Int
    /// The binding that led to the module, such as `UserService`; `nil` if it is a new file of the module.
    package let service: String?
    /// The module that provided the service before, and still does if they share it.
    package let from: String?
    /// Whether the module has a share of the calls only.
    package let isCanary: Bool
    /// The process that judges it.
    package private(set) var process: Int
    /// Everything that the process has seen of it, in a form that the judge knows; `nil` until the process leaves it to another
    /// one.
    package let evidence: [UInt8]?
    /// The digests of the interfaces that become part of the process for the module's sake, before the module does.
    package let interfaces: [String]
    /// The reason why the module is kept out, once its process has crashed: the binding is not taken back yet.
    package internal(set) var failure: String?

    package init(
        _ module: SuspectModule, sha256: String, generation: Int,
        service: String? = nil, from: String? = nil, isCanary: Bool = false, process: Int,
        evidence: [UInt8]? = nil, needing interfaces: [String] = []
    ) {
        self.isCanary = isCanary
        self.interfaces = interfaces
        self.evidence = evidence
        self.module = module
        self.sha256 = sha256
        self.generation = generation
        self.service = service
        self.from = from
        self.process = process
    }

    /// The same as another process judges it.
    package func passed(to process: Int) -> Trial {
        var trial = self
        trial.process = process
        return trial
    }

    init?(_ node: JSONNode) {
        guard let id = node["module"]?.string, let path = node["path"]?.string,
            let file = node["file"]?.string, let sha256 = node["sha256"]?.string,
            let generation = node["generation"]?.integer,
            let process = node["process"]?.integer
        else { return nil }
        module = SuspectModule(id: id, path: path, file: file)
        self.sha256 = sha256
        self.generation = generation
        self.process = process
        service = node["service"]?.string
        from = node["from"]?.string
        failure = node["failure"]?.string
        isCanary = node["canary"]?.bool ?? false
        interfaces = (node["interfaces"]?.elements ?? []).compactMap(\.string)
        let bytes = node["evidence"]?.string?.unicodeScalars.map { UInt8(exactly: $0.value) }
        evidence = bytes.flatMap { $0.contains(nil) ? nil : $0.compactMap(\.self) }
    }

    var json: JSON {
        [
            "module": .string(module.id), "path": .string(module.path),
            "file": .string(module.file), "sha256": .string(sha256),
            "generation": .integer(generation), "service": .text(service), "from": .text(from),
            "process": .integer(process), "failure": .text(failure), "canary": .bool(isCanary),
            "interfaces": .array(interfaces.map { .string($0) }),
            "evidence": .text(
                evidence.map { String(String.UnicodeScalarView($0.map(Unicode.Scalar.init))) }),
        ]
    }
}

// The modules that running hosts judge: a file next to the records.
extension QuarantineStore {
    private static let trials = "probation.json"
    /// Whether this process has noted trials.
    private static let isJudging = Atomic(false)

    /// Whether a host has judged a module, and no process has noted that this is over.
    package var hasTrials: Bool {
        guard let folder = try? open() else { return false }
        return folder.has(Self.trials)
    }

    /// Notes which modules a process judges from now on, in the place of what it noted before.
    package func setTrials(_ trials: [Trial], of process: Int) throws(QuarantineError) {
        guard !trials.isEmpty || isThere else { return }
        let folder = try make()
        Self.isJudging.store(true, ordering: .relaxed)
        try locking(folder) { () throws(QuarantineError) in
            let known = try loadTrials(in: folder)
            let hasUncounted = folder.has(Self.log)
            // A process that is gone has left its own. If it crashed, its crash is counted first.
            let others = known.filter { trial in
                trial.process != process
                    && (trial.failure != nil || hasUncounted || Self.isAlive(trial.process))
            }
            try save(others + trials, over: known, in: folder)
        }
    }

    package func trials(of process: Int) throws(QuarantineError) -> [Trial] {
        guard let folder = try open() else { return [] }
        return try loadTrials(in: folder).filter { $0.process == process && $0.failure == nil }
    }

    /// The trials of processes that are gone without a crash: they were killed, or have stopped.
    package func trialsOfGone() throws(QuarantineError) -> [Trial] {
        guard let folder = try open() else { return [] }
        // In a container, a process may have the number of the one before.
        let isSelf = Self.isJudging.load(ordering: .relaxed)
        return try loadTrials(in: folder).filter { trial in
            let isThere = trial.process == Int(getpid()) ? isSelf : Self.isAlive(trial.process)
            return trial.failure == nil && !isThere
        }
    }

    /// Keeps a content of a module out from now on, whatever its file is by now.
    package func keepOut(
        _ module: SuspectModule, sha256: String, because reason: String, since time: Int
    ) throws(QuarantineError) {
        try update(in: try make()) { quarantine throws(QuarantineError) in
            quarantine.keepOut(module.id, module.path, sha256: sha256, since: time, because: reason)
        }
    }

    /// The modules that have crashed while they were judged and to which bindings still lead. The caller takes these
    /// bindings back. Each is given once.
    package func takeFailedTrials() throws(QuarantineError) -> [Trial] {
        guard let folder = try open(), folder.has(Self.trials) else { return [] }
        return try locking(folder) { () throws(QuarantineError) in
            let known = try loadTrials(in: folder)
            let failed = known.filter { $0.failure != nil }
            try save(known.filter { $0.failure == nil }, over: known, in: folder)
            return failed
        }
    }

    /// Counts a crash of a module that was judged, or of an interface that was loaded for its sake: both are kept out at
    /// once. The caller holds the lock.
    ///
    /// - Returns: Whether it was one.
    func note(
        _ entry: CrashLogEntry, of trials: inout [Trial], in quarantine: inout Quarantine
    ) -> Bool {
        // In whatever process the file is judged that has crashed.
        let causes = trials.indices.filter {
            trials[$0].module.id == entry.module && trials[$0].sha256 == entry.sha256
                || trials[$0].interfaces.contains(entry.sha256)
        }
        guard !causes.isEmpty else { return false }
        let reason = "crashed on probation, with \(entry.crash.cause)"
        quarantine.note(entry.crash, of: entry.module, entry.path, sha256: entry.sha256)
        quarantine.keepOut(
            entry.module, entry.path, sha256: entry.sha256, since: entry.crash.time,
            because: reason)
        for index in causes {
            let trial = trials[index]
            let isOwn = trial.module.id == entry.module
            let reason = isOwn ? reason : "its interface '\(entry.module)' \(reason)"
            trials[index].failure = reason
            quarantine.keepOut(
                trial.module.id, trial.module.path, sha256: trial.sha256,
                since: entry.crash.time, because: reason)
        }
        return true
    }

    /// The modules that running hosts judge. A damaged file counts as none: it says nothing that is needed.
    func loadTrials(in folder: borrowing OpenFolder) throws(QuarantineError) -> [Trial] {
        guard let bytes = try QuarantineError.wrapping(try folder.bytes(of: Self.trials)),
            let root = try? JSONNode.parse(bytes), root["schema"]?.integer == 1
        else { return [] }
        return (root["trials"]?.elements ?? []).compactMap(Trial.init)
    }

    /// Writes the trials, unless they are what the file has. Those without a binding are over once they have failed.
    func save(
        _ trials: [Trial], over known: [Trial], in folder: borrowing OpenFolder
    ) throws(QuarantineError) {
        let trials = trials.filter { $0.failure == nil || $0.service != nil }
        guard trials != known else { return }
        guard !trials.isEmpty else {
            return try QuarantineError.wrapping(try folder.remove(Self.trials))
        }
        let json: JSON = ["schema": 1, "trials": .array(trials.map(\.json))]
        let text = json.text(pretty: true) + "\n"
        // A record matters as long as its process lives, so a power cut does no harm. One of a crash that was
        // counted has to last.
        try QuarantineError.wrapping(
            try folder.replace(
                Self.trials, with: Array(text.utf8), mode: 0o600,
                lasts: trials.contains { $0.failure != nil }))
    }

    private static func isAlive(_ process: Int) -> Bool {
        kill(pid_t(truncatingIfNeeded: process), 0) == 0 || errno == EPERM
    }
}
