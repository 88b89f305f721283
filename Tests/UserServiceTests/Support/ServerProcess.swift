// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesSystem
import Foundation
import Glibc

/// A process of the real command that runs `serve-users`.
final class ServerProcess: Sendable {
    /// The command that was built together with these tests.
    static let command: String = {
        let test = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: test ?? "").deletingLastPathComponent()
            .appendingPathComponent("eaves").path
    }()

    /// The address of the server.
    let address: String
    private let identifier: Int32

    /// Starts the process, and waits until it serves.
    init(in site: Site) async throws {
        let errors = site.url.appendingPathComponent("errors").path
        let pipe = Foundation.Pipe()
        var command = ChildCommand(Self.command, ["launch", "serve-users"])
        command.folder = site.url.path
        identifier = try command.spawn([
            .empty, .descriptor(pipe.fileHandleForWriting.fileDescriptor), .writing(errors),
        ])
        try pipe.fileHandleForWriting.close()
        let output = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                // The end of the process ends the output, too.
                continuation.resume(returning: pipe.fileHandleForReading.availableData)
            }
        }
        address = String(decoding: output, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard address.hasPrefix("http://") else {
            let reason = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
            kill()
            throw Fault(what: "serve-users printed '\(address)'\n\(reason)")
        }
    }

    /// Ends the process without letting it finish anything, and waits for its end.
    func kill() {
        Glibc.kill(identifier, SIGKILL)
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
    }
}
