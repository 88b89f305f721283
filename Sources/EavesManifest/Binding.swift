// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesJSON

/// Which module provides a service when several could.
package struct Binding: Hashable, Sendable {
    package var service: String
    /// The module's id.
    package var module: String
    /// Where the binding stands in the manifest.
    package var position: TextPosition

    package init(service: String, module: String, position: TextPosition) {
        self.service = service
        self.module = module
        self.position = position
    }
}
