// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Calls `dlopen`.
enum LoadsCheck: DirectCheck {
    static let id = "loads"
    static let meaning = "its code can be loaded, and its constructors come to an end"
    /// Nothing of it runs before all that can be known without running it.
    static var needs: [String] { CheckList.statics.map { $0.id } }

    static func run(_ trial: Trial) throws -> Finding {
        _ = try trial.load()
        return .passed
    }
}
