// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog

/// Says what the catalog finds of owners and permissions.
enum PermissionsCheck: StaticCheck {
    static let id = "permissions"
    static let meaning = "nobody but its owner, who is trusted, can put another file in its place"
    static let needs = [ELFReadableCheck.id]

    static func run(_ subject: Subject) -> Finding {
        guard case .untrusted = subject.entry.problem else { return .passed }
        return subject.finding(subject.entry.problem)
    }
}
