// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesHost
import EavesInterface
import EavesIsolation
import EavesSources
import EavesVerify
@preconcurrency import Glibc
import GreetingAPI

// A server that stays up: it answers each line of its input, until the input ends.

try Host.begin(
    as: [.worker, .judge],
    interfaces: [LinkedInterface(id: "greeting-api", module: "GreetingAPI", version: "1.0")])

/// The manifest, and behind it the modules that run in processes of their own.
let arguments = CommandLine.arguments.dropFirst()
let isolated = Array(arguments.dropFirst())

/// The program's own service.
struct FixedClock: DayClock {
    let hour = 9
}

/// Makes a host for the manifest as it is now.
func makeHost(_ path: String) throws -> Host {
    var configuration = Host.Configuration()
    configuration.isolation = .processes
    configuration.isolated = isolated
    configuration.recordsCrashes = true
    configuration.observer = { event in
        switch event {
        case .built(let module, _): print("event: built \(module.id)")
        case .loaded(let module, _): print("event: loaded \(module.id)")
        case .refused(let module, _): print("event: refused \(module.id)")
        case .crashed(let crash): print("event: crashed \(crash.module)")
        default: break
        }
    }
    let host = try Host(manifest: path, sources: .folders, configuration)
    host.provide((any DayClock).self, scope: .shared) { _ in FixedClock() }
    return host
}

/// The shortest use of a host, as README.md shows it.
func greetingOfAda(_ path: String) throws -> String {
    let host = try Host(manifest: path)
    host.provide((any DayClock).self, scope: .shared) { _ in FixedClock() }
    let greeter = try host.resolve((any Greeter).self)
    return greeter.greeting(for: Guest(name: "Ada"))
}

/// Answers one line.
func answer(_ words: [String], _ host: Host) async throws -> String {
    switch words.first {
    case "features":
        return host.features.map { "\($0.name) of \($0.module): \($0.state)" }
            .joined(separator: ", ")
    case "greet":
        // A container for the request, dropped at its end.
        let request = host.services.child()
        let greeter = try request.resolve((any Greeter).self)
        return greeter.greeting(for: Guest(name: words.dropFirst().joined(separator: " ")))
    case "ada":
        return try greetingOfAda(host.manifestPath)
    case "choose" where words.count == 2:
        // The same guest gets the same greeter, where the manifest has several with weights.
        let chosen = host.services.child(choosingBy: ["guest": words[1]])
        let greeter = try chosen.resolve((any Greeter).self)
        return greeter.greeting(for: Guest(name: words[1]))
    case "launch":
        let code = try await host.launch(
            words.dropFirst().first ?? host.defaultFeature ?? "", Array(words.dropFirst(2)))
        return "exit code \(code.rawValue)"
    case "swap" where words.count == 3:
        let swap = try host.swap(words[1], to: words[2])
        // Calls under way end in the old module; whoever asks from now on gets the new one.
        host.catchUp()
        return "\(words[1]): \(swap?.before ?? "no binding") → \(words[2])"
    case "rollback":
        try host.rollback()
        host.catchUp()
        return host.bindings.map { "\($0.service) = \($0.module)" }.joined(separator: ", ")
    case "validate":
        let problems = try host.validate(loading: true)
        return problems.isEmpty ? "no problems" : "\(problems)"
    case "verify":
        return try host.verify(Array(words.dropFirst())).map {
            "\($0.module.id): \($0.isPassed ? "passed" : "failed")"
                + ($0.isWalled ? " behind its wall" : "")
        }.joined(separator: ", ")
    default:
        return "unknown request"
    }
}

setvbuf(stdout, nil, _IOLBF, 0)
do {
    let host = try makeHost(arguments.first ?? "manifest.json")
    while let line = readLine() {
        do {
            print(try await answer(line.split(separator: " ").map(String.init), host))
        } catch {
            print("\(error)")
        }
    }
} catch {
    print("\(error)")
    exit((error as? Host.Error).map { Int32($0.exitCode.rawValue) } ?? 70)
}
