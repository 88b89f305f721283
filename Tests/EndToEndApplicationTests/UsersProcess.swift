// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation

@testable import EndToEndSupport

/// A process that serves the users of an application of its own by HTTP.
final class UsersProcess {
    /// The address of the service.
    let address: String
    private let child: Child
    private let application: ShippedApplication

    init() throws {
        application = try ShippedApplication {
            $0["bindings"] = ["UserService": "users-sqlite"]
        }
        let pipe = try Child.pipe()
        child = try Child(
            Eaves.executable, ["launch", "--no-build", "serve-users"], in: application.url,
            [
                .reading("/dev/null"), .descriptor(pipe.writeEnd.fileDescriptor),
                .writing(application.url.appendingPathComponent("errors").path),
            ])
        try pipe.writeEnd.close()
        let folder = application.folder
        let text = try child.read(pipe.readEnd, until: "an address") {
            $0.hasSuffix("\n")
        } more: {
            (try? folder.read("errors")) ?? ""
        }
        address = text.trimmingCharacters(in: .newlines)
    }

    deinit { child.end() }
}
