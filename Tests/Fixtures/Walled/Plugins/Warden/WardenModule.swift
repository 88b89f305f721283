// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Glibc
import PrisonAPI

enum WardenModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerFeature("warden") { resolver in
            Warden(prisoner: try resolver.resolve((any Prisoner).self))
        }
    }
}

/// Lets the prisoner do what the arguments say, one after the other, and prints what comes of it.
struct Warden: Feature {
    let prisoner: any Prisoner

    func launch(_ launch: Launch) async throws -> ExitCode {
        for argument in launch.arguments {
            let words = argument.split(separator: "=", maxSplits: 1).map(String.init)
            do {
                let value = words.count > 1 ? words[1] : ""
                try launch.console.write(try await answer(words[0], value) + "\n")
            } catch {
                try launch.console.write("\(type(of: error)): \(error)\n")
            }
        }
        return .success
    }

    private func answer(_ word: String, _ value: String) async throws -> String {
        switch word {
        case "escape":
            var lines: [String] = []
            for way in try await prisoner.ways() {
                let error = try await prisoner.escape(way, to: value)
                lines.append("\(way): \(text(error))")
            }
            return lines.joined(separator: "\n")
        case "read": return text(try await prisoner.read(value))
        case "change": return text(try await prisoner.change(value))
        case "empty": return text(try await prisoner.empty(value))
        case "connect":
            let (host, port) = address(value)
            return text(try await prisoner.connect(host, port))
        case "listen":
            let (host, port) = address(value)
            return text(try await prisoner.listen(host, port))
        case "resolve": return try await prisoner.resolve(value) > 0 ? "found" : "not found"
        case "run":
            let code = try await prisoner.run(value)
            return code < 0 ? text(-code) : "exit code \(code)"
        case "bomb":
            // Children that go on, and how many there could be.
            var made = 0
            for _ in 0..<(Int(value) ?? 0) where try await prisoner.leave("") > 0 { made += 1 }
            return "\(made) of \(value)"
        case "leave": return "\(try await prisoner.leave(value))"
        case "strike":
            let blow = value.split(separator: ":").map(String.init)
            return "\(try await prisoner.strike(blow))"
        case "variable": return try await prisoner.variable(value) ?? "none"
        case "temporary": return try await prisoner.temporary(Int(value) ?? 0)
        case "mode", "lock", "cut", "unknown", "unnamed":
            return text(try await prisoner.strike([word, value]))
        case "pid": return "\(try await prisoner.process())"
        case "sleep":
            try await Task.sleep(for: .milliseconds(Int(value) ?? 0))
            return "slept"
        case "say":
            // Bytes in hexadecimal digits, and how often.
            let words = value.split(separator: "*")
            let digits = Array(words[0])
            let bytes = stride(from: 0, to: digits.count - 1, by: 2).map {
                UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0
            }
            return text(
                try await prisoner.say(bytes, times: words.count > 1 ? Int(words[1]) ?? 1 : 1))
        default: return "unknown: \(word)"
        }
    }

    private func text(_ error: Int) -> String {
        error == 0 ? "worked" : String(cString: strerror(Int32(error)))
    }

    private func address(_ text: String) -> (String, Int) {
        let words = text.split(separator: ":").map(String.init)
        return (words[0], Int(words[1]) ?? 0)
    }
}
