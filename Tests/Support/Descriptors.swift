// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The descriptors that this process may have.
package enum Descriptors {
    /// Raises the limit of this process as far as it may, for tests that open thousands: the usual one is 1024.
    package static func allowMany() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
