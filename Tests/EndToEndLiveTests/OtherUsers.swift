// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation

@testable import EndToEndSupport

/// A second build of the sample's `users-memory`, with other users.
enum OtherUsers {
    /// The file.
    static let file = Result {
        let project = try BuiltProject.sample(
            "other-users", only: ["users-memory"],
            edits: [.init("UsersMemory/UsersMemoryModule.swift", "Alice", "Grace")])
        return URL(fileURLWithPath: project.file("users-memory"))
    }
}
