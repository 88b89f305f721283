// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesJSON

/// What the probe tells of its work, a line of JSON each.
enum ProbeEvent: Hashable, Sendable {
    /// A check begins. So much has been printed before it, in bytes.
    case started(String, printed: Int)
    /// A check has ended.
    case finished(String, Finding, printed: Int)

    /// - Returns: `nil` if it is not what ``json`` makes.
    init?(_ line: some Collection<UInt8>) {
        guard let root = try? JSONNode.parse(Array(line)),
            let printed = root["printed"]?.integer
        else { return nil }
        if let check = root["started"]?.string {
            self = .started(check, printed: printed)
            return
        }
        guard let check = root["finished"]?.string, let finding = Finding(root) else { return nil }
        self = .finished(check, finding, printed: printed)
    }

    var json: String {
        switch self {
        case .started(let check, let printed):
            let json: JSON = ["started": .string(check), "printed": .integer(printed)]
            return json.text(pretty: false)
        case .finished(let check, let finding, let printed):
            let start: [JSON.Member] = [
                JSON.Member(name: "finished", value: .string(check)),
                JSON.Member(name: "printed", value: .integer(printed)),
            ]
            return JSON.object(start + finding.members).text(pretty: false)
        }
    }
}

extension Finding {
    fileprivate init?(_ node: JSONNode) {
        let diagnostics = (node["diagnostics"]?.elements ?? []).compactMap { node -> Diagnostic? in
            guard let message = node["message"]?.string,
                let code = node["code"]?.integer.flatMap(Int32.init(exactly:))
                    .flatMap(FailureCode.init(rawValue:))
            else { return nil }
            return Diagnostic(message, fix: node["fix"]?.string, code: code)
        }
        switch node["result"]?.string {
        case "passed": self = .passed
        case "warned": self = .warned(diagnostics)
        case "failed": self = .failed(diagnostics)
        case "skipped": self = .skipped(node["reason"]?.string ?? "")
        default: return nil
        }
    }

    fileprivate var members: [JSON.Member] {
        switch self {
        case .passed: [JSON.Member(name: "result", value: "passed")]
        case .warned(let diagnostics): Self.members("warned", diagnostics)
        case .failed(let diagnostics): Self.members("failed", diagnostics)
        case .skipped(let reason):
            [
                JSON.Member(name: "result", value: "skipped"),
                JSON.Member(name: "reason", value: .string(reason)),
            ]
        }
    }

    private static func members(_ result: String, _ diagnostics: [Diagnostic]) -> [JSON.Member] {
        let list = diagnostics.map { diagnostic -> JSON in
            [
                "message": .string(diagnostic.message),
                "fix": diagnostic.fix.map { .string($0) } ?? .null,
                "code": .integer(Int(diagnostic.code.rawValue)),
            ]
        }
        return [
            JSON.Member(name: "result", value: .string(result)),
            JSON.Member(name: "diagnostics", value: .array(list)),
        ]
    }
}
