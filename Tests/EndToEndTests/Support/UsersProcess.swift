// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Foundation

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
        let child = child
        let guardian = DispatchWorkItem { child.end() }
        DispatchQueue.global().asyncAfter(deadline: .now() + Eaves.limit, execute: guardian)
        defer { guardian.cancel() }
        var text = ""
        while !text.hasSuffix("\n") {
            let more = pipe.readEnd.availableData
            guard !more.isEmpty else {
                throw FixtureFault(
                    what: "no address: \(text)\((try? application.folder.read("errors")) ?? "")")
            }
            text += String(decoding: more, as: UTF8.self)
        }
        address = text.trimmingCharacters(in: .newlines)
    }

    deinit { child.end() }
}
