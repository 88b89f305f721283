// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface

/// A service that a module's factory made.
struct MadeService {
    let request: ServiceRequest
    /// `nil` once it has been let go.
    var value: Any?
    /// The instance, if it is one; `nil` when nobody keeps it any more.
    private(set) weak var object: AnyObject?

    init(_ request: ServiceRequest, _ value: Any) {
        self.request = request
        self.value = value
        object = type(of: value) is AnyClass ? value as AnyObject : nil
    }
}
