// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

extension Result {
    /// The error; `nil` for a success.
    package var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
