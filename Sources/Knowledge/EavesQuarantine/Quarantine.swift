// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON
import EavesProcess
package import EavesSystem

/// The modules that crashed, and those among them that are no longer loaded. This is a value;
/// ``QuarantineStore`` keeps it on the disk.
package struct Quarantine: Hashable, Sendable {
    /// The content of a module's file when it was last read.
    package struct Content: Hashable, Sendable {
        /// The ``FileIdentity/text`` of the file: while it stays the same, so does the content.
        var identity: String
        var sha256: String
    }

    /// After this many crashes without a good minute between them, a module is kept out of hosts.
    package static let limit = 3

    /// In the order of their first crashes.
    package internal(set) var records: [QuarantineRecord] = []
    /// By the module's id.
    package var contents: [String: Content] = [:]

    package init() {}

    package var isEmpty: Bool { records.isEmpty }

    /// The record of a module with this content; `nil` if it never crashed.
    package func record(of module: String, sha256: String) -> QuarantineRecord? {
        records.first { $0.module == module && $0.sha256 == sha256 }
    }

    /// The modules that are kept out, with any content.
    var keptOut: [String] { records.filter { $0.since != nil }.map(\.module) }

    /// Notes a crash in a host. With the third crash of the same content without a good minute between, the module is kept
    /// out.
    ///
    /// - Parameters:
    ///   - sha256: The content that crashed.
    ///   - present: The content that the module's file has now; `nil` if it is gone. A live host may have
    ///     crashed in another generation.
    mutating func note(
        _ crash: ModuleCrash, of module: String, _ path: String, sha256: String,
        present: String? = nil
    ) {
        // A module that was changed starts at zero. A content that is kept out stays known, because the old
        // file may return.
        records.removeAll {
            $0.module == module && $0.sha256 != sha256 && $0.sha256 != present && $0.since == nil
        }
        let index = index(of: module, path, sha256: sha256)
        // A process that ended after it counted the log's crashes and before it removed the log
        // leaves the same crashes to the next process.
        guard !records[index].crashes.contains(crash) else { return }
        records[index].crashes.append(crash)
        guard records[index].crashesInRow >= Self.limit, records[index].since == nil else { return }
        records[index].since = crash.time
        records[index].reason = records[index].countedReason
    }

    /// Lets modules in that are kept out for the number of their crashes alone. The next crash keeps each of them out again.
    ///
    /// - Returns: Their ids.
    mutating func retry() -> [String] {
        records.indices.compactMap { index in
            guard records[index].since != nil, records[index].reason == records[index].countedReason
            else { return nil }
            (records[index].since, records[index].reason) = (nil, nil)
            return records[index].module
        }
    }

    /// Keeps a module out from now on. A module that is already kept out keeps its first reason.
    mutating func keepOut(
        _ module: String, _ path: String, sha256: String, since time: Int, because reason: String
    ) {
        let index = index(of: module, path, sha256: sha256)
        guard records[index].since == nil else { return }
        records[index].since = time
        records[index].reason = reason
    }

    /// Forgets the crashes of modules, and lets them in again.
    ///
    /// - Parameter modules: Their ids; `nil` for all.
    /// - Returns: For each of those that had records, how often it had crashed.
    mutating func clear(_ modules: Set<String>?) -> [String: Int] {
        func isCleared(_ id: String) -> Bool { modules?.contains(id) ?? true }
        var cleared: [String: Int] = [:]
        for record in records where isCleared(record.module) {
            cleared[record.module, default: 0] += record.crashes.count
        }
        records.removeAll { isCleared($0.module) }
        contents = contents.filter { !isCleared($0.key) }
        return cleared
    }

    private mutating func index(of module: String, _ path: String, sha256: String) -> Int {
        if let index = records.firstIndex(where: { $0.module == module && $0.sha256 == sha256 }) {
            records[index].path = path
            return index
        }
        records.append(QuarantineRecord(module: module, path: path, sha256: sha256))
        return records.count - 1
    }
}

/// The crashes of a module with one content, and whether the module is kept out because of them.
package struct QuarantineRecord: Hashable, Sendable {
    package let module: String
    /// The module's file, as messages show it.
    package var path: String
    /// The digest of the file. A file with another digest is another module to the quarantine.
    package let sha256: String
    /// The crashes in a host, oldest first. A crash in `eaves verify` is not counted: one is enough.
    package var crashes: [ModuleCrash] = []
    /// The time since which the module is kept out, in seconds since 1970; `nil` while it is not.
    package var since: Int?
    package var reason: String?

    /// The number of crashes up to the last one without a good minute between them.
    package var crashesInRow: Int {
        crashes.count - (crashes.lastIndex { $0.uptime ?? 0 >= ModuleCrash.goodTime } ?? 0)
    }

    /// The reason of a module that is kept out for the number of its crashes; `nil` if it never crashed.
    fileprivate var countedReason: String? {
        crashes.last.map { "crashed \(crashesInRow) times, last with \($0.cause)" }
    }

    /// The words for people: `quarantined since 2026-11-21 10:30:00 UTC: crashed 3 times, …`.
    package var message: String {
        "quarantined since \(WallClock.text(of: since ?? 0)): \(reason ?? "it crashed")"
    }
}

package struct ModuleCrash: Hashable, Sendable {
    /// How a module ended its process.
    package enum Cause: Hashable, Sendable, CustomStringConvertible {
        case signal(Int32)
        /// A call of `exit` with this code while it was loaded or registered; a call of `quick_exit`, which
        /// does not tell its code, if it is negative.
        case exit(Int32)

        package var signal: Int32? { if case .signal(let number) = self { number } else { nil } }
        package var exitCode: Int32? { if case .exit(let code) = self { code } else { nil } }

        /// The words after `crashed with`.
        package var description: String {
            switch self {
            case .signal(let number): SignalName.of(number)
            case .exit(let code) where code < 0: "quick_exit"
            case .exit(let code): "exit code \(code)"
            }
        }
    }

    /// A process that has run for so many seconds was a good one: its crash does not count with those before.
    static let goodTime = 60

    /// In seconds since 1970.
    package let time: Int
    package let cause: Cause
    package let process: Int
    /// The number of the generation whose code crashed; `nil` in a host that has one generation of the module,
    /// because it does not follow the disk.
    package let generation: Int?
    /// The feature that was being launched; `nil` if none was.
    package let feature: String?
    /// The seconds that the process had run; `nil` if an earlier version has noted the crash.
    let uptime: Int?

    package init(
        time: Int, cause: Cause, process: Int, generation: Int? = nil, feature: String? = nil,
        uptime: Int? = nil
    ) {
        self.uptime = uptime
        self.time = time
        self.cause = cause
        self.process = process
        self.generation = generation
        self.feature = feature
    }
}

extension Quarantine {
    init?(_ root: JSONNode) {
        guard root["schema"]?.integer == 1,
            let records = root["records"]?.elements?.map(QuarantineRecord.init),
            !records.contains(nil), let files = root["files"]?.elements
        else { return nil }
        self.init()
        self.records = records.compactMap(\.self)
        for file in files {
            guard let module = file["module"]?.string, let identity = file["stamp"]?.string,
                let sha256 = file["sha256"]?.string
            else { return nil }
            contents[module] = Content(identity: identity, sha256: sha256)
        }
    }

    var json: JSON {
        let files = contents.sorted { $0.key < $1.key }.map { module, content -> JSON in
            [
                "module": .string(module), "stamp": .string(content.identity),
                "sha256": .string(content.sha256),
            ]
        }
        return ["schema": 1, "records": .array(records.map(\.json)), "files": .array(files)]
    }
}

extension QuarantineRecord {
    /// The record that keeps a content of a module out.
    package init(
        keepingOut module: String, _ path: String, _ digest: SHA256Digest, since time: Int,
        because reason: String
    ) {
        self.init(module: module, path: path, sha256: digest.hex, since: time, reason: reason)
    }

    init?(_ node: JSONNode) {
        guard let module = node["module"]?.string, let path = node["path"]?.string,
            let sha256 = node["sha256"]?.string,
            let crashes = node["crashes"]?.elements?.map(ModuleCrash.init),
            !crashes.contains(nil)
        else { return nil }
        self.init(module: module, path: path, sha256: sha256, crashes: crashes.compactMap(\.self))
        since = node["since"]?.integer
        reason = node["reason"]?.string
    }

    /// The record as the file on the disk has it, and as `eaves quarantine --json` shows it.
    package var json: JSON {
        [
            "module": .string(module), "path": .string(path), "sha256": .string(sha256),
            "since": since.map { .integer($0) } ?? .null,
            "reason": .text(reason),
            "crashes": .array(crashes.map(\.json)),
        ]
    }
}

extension ModuleCrash {
    init?(_ node: JSONNode) {
        guard let time = node["time"]?.integer, let process = node["process"]?.integer,
            let cause = Cause(node)
        else { return nil }
        self.init(
            time: time, cause: cause, process: process, generation: node["generation"]?.integer,
            feature: node["feature"]?.string, uptime: node["uptime"]?.integer)
    }

    var json: JSON {
        .object(present: [
            "time": .integer(time), "signal": cause.signal.map { .integer(Int($0)) },
            "exit": cause.exitCode.map { .integer(Int($0)) }, "process": .integer(process),
            "generation": generation.map(JSON.integer), "feature": feature.map(JSON.string),
            "uptime": uptime.map(JSON.integer),
        ])
    }
}

extension ModuleCrash.Cause {
    fileprivate init?(_ node: JSONNode) {
        func number(_ name: String) -> Int32? { node[name]?.integer.flatMap(Int32.init(exactly:)) }
        if let signal = number("signal") {
            self = .signal(signal)
        } else if let code = number("exit") {
            self = .exit(code)
        } else {
            return nil
        }
    }
}

/// A line of the log of crashes. Its beginning names a module, and is prepared before the module is
/// loaded; the process that crashes adds the generation, the feature that was launched, the signal or the exit
/// code, and the time, and writes the line.
package struct CrashLogEntry: Sendable {
    package let module: String
    /// The module's file, as messages show it.
    package let path: String
    /// The module's file as an absolute path.
    let file: String
    /// The digest of the content that was loaded. The file may have another one by now.
    package let sha256: String
    package let crash: ModuleCrash

    /// Reads a line; `nil` if it is damaged.
    init?(_ line: some Collection<UInt8>) {
        guard let node = try? JSONNode.parse(Array(line)), let crash = ModuleCrash(node),
            let module = node["module"]?.string, let path = node["path"]?.string,
            let file = node["file"]?.string, let sha256 = node["sha256"]?.string
        else { return nil }
        self.module = module
        self.path = path
        self.file = file
        self.sha256 = sha256
        self.crash = crash
    }

    /// The beginning of the line for a module: a JSON object without its closing brace.
    package static func beginning(_ module: SuspectModule, _ digest: SHA256Digest) -> String {
        let known: JSON = [
            "module": .string(module.id), "path": .string(module.path),
            "file": .string(module.file), "sha256": .string(digest.hex),
        ]
        return String(known.text(pretty: false).dropLast())
    }
}
