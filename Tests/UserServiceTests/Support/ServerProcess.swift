// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import EavesTestSupport
import Foundation

/// A process of the real command that runs `serve-users`.
final class ServerProcess: Sendable {
    /// The address of the server.
    let address: String
    private let child: Child

    /// Starts the process, and waits until it serves.
    init(in site: Site) async throws {
        let folder = site.folder
        let pipe = try Child.pipe()
        let child = try Child(
            URL(fileURLWithPath: Repository.command), ["launch", "serve-users"], in: folder.url,
            [
                .reading("/dev/null"), .descriptor(pipe.writeEnd.fileDescriptor),
                .writing(folder.file("errors")),
            ])
        try pipe.writeEnd.close()
        self.child = child
        let output = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                let output = Result {
                    try child.read(pipe.readEnd, until: "an address") {
                        $0.hasSuffix("\n")
                    } more: {
                        (try? folder.read("errors")) ?? ""
                    }
                }
                continuation.resume(with: output)
            }
        }
        address = output.trimmingCharacters(in: .newlines)
    }

    /// Ends the process without letting it finish anything, and waits for its end.
    func kill() {
        child.end()
        _ = try? child.wait()
    }
}
