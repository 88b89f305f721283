// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// One run of a factory that tasks wait for. Identity, and what it makes.
final class Making: Sendable {
    let request: ServiceRequest

    init(_ request: ServiceRequest) {
        self.request = request
    }
}
