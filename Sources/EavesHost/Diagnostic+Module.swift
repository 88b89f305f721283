// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
package import EavesDiagnostics

extension Diagnostic {
    /// The same message, said of a module: `login: … (Plugins/login.so)`.
    package func naming(_ id: String, _ path: String) -> Diagnostic {
        var named = self
        named.message = "\(id): \(message)" + (message.includes(path) ? "" : " (\(path))")
        return named
    }
}
