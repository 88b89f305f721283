// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON

extension Quarantine {
    /// Reads what ``json`` wrote; `nil` for anything else.
    init?(_ root: JSONNode) {
        guard root["schema"]?.integer == 1,
            let records = root["records"]?.elements?.map(QuarantineRecord.init),
            let files = root["files"]?.elements
        else { return nil }
        self.init()
        for record in records {
            guard let record else { return nil }
            self.records.append(record)
        }
        for file in files {
            guard let module = file["module"]?.string, let identity = file["stamp"]?.string,
                let sha256 = file["sha256"]?.string
            else { return nil }
            contents[module] = Content(identity: identity, sha256: sha256)
        }
    }

    /// The content of the file on the disk.
    var json: JSON {
        let files = contents.sorted { $0.key < $1.key }.map { module, content -> JSON in
            [
                "module": .string(module), "stamp": .string(content.identity),
                "sha256": .string(content.sha256),
            ]
        }
        return [
            "schema": 1, "records": .array(records.map(\.json)), "files": .array(files),
        ]
    }
}

extension QuarantineRecord {
    /// Reads what ``json`` wrote; `nil` for anything else.
    init?(_ node: JSONNode) {
        guard let module = node["module"]?.string, let path = node["path"]?.string,
            let sha256 = node["sha256"]?.string,
            let crashes = node["crashes"]?.elements?.map(ModuleCrash.init)
        else { return nil }
        self.init(module: module, path: path, sha256: sha256)
        for crash in crashes {
            guard let crash else { return nil }
            self.crashes.append(crash)
        }
        since = node["since"]?.integer
        reason = node["reason"]?.string
    }

    /// The record as the file on the disk has it, and as `eaves quarantine --json` shows it.
    package var json: JSON {
        [
            "module": .string(module), "path": .string(path), "sha256": .string(sha256),
            "since": since.map { .integer($0) } ?? .null,
            "reason": reason.map { .string($0) } ?? .null,
            "crashes": .array(crashes.map(\.json)),
        ]
    }
}

extension ModuleCrash {
    /// Reads what ``json`` wrote; `nil` for anything else.
    init?(_ node: JSONNode) {
        guard let time = node["time"]?.integer, let process = node["process"]?.integer,
            let cause = Cause(node)
        else { return nil }
        self.init(
            time: time, cause: cause, process: process, generation: node["generation"]?.integer,
            feature: node["feature"]?.string)
    }

    var json: JSON {
        var members = [JSON.Member(name: "time", value: .integer(time))]
        members += cause.members + [JSON.Member(name: "process", value: .integer(process))]
        if let generation {
            members.append(JSON.Member(name: "generation", value: .integer(generation)))
        }
        if let feature { members.append(JSON.Member(name: "feature", value: .string(feature))) }
        return .object(members)
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

    fileprivate var members: [JSON.Member] {
        switch self {
        case .signal(let number): [JSON.Member(name: "signal", value: .integer(Int(number)))]
        case .exit(let code): [JSON.Member(name: "exit", value: .integer(Int(code)))]
        }
    }
}
