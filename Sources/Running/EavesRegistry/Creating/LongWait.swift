// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
package import EavesInterface
import Glibc

/// A thread waits for a long time for an instance that another thread creates.
///
/// A factory may take its time. But if it waits for the very thread that waits for it, neither goes on,
/// and nothing can know: the thread did not ask through the factory's resolver.
package struct LongWait: Sendable {
    /// The service that the thread waits for.
    package let request: ServiceRequest
    /// The registration whose factory runs, with module and place; `nil` for a lazy value.
    package let registration: Registration?
    /// The time that the thread has waited so far.
    package let duration: Duration

    package var diagnostic: Diagnostic {
        Diagnostic(
            "a thread has waited \(duration) for "
                + "\(registration?.description ?? request.description), "
                + "which another thread is creating",
            fix:
                "if that thread's factory waits for this one, ask the resolver that the factory was "
                + "given", code: .configuration)
    }

    func print() {
        let text = "warning: \(diagnostic)\n"
        _ = text.utf8.withContiguousStorageIfAvailable {
            write(STDERR_FILENO, $0.baseAddress, $0.count)
        }
    }
}

extension Container {
    /// Reports a thread that waits for one of this container's services.
    func tellOfLongWait(for request: ServiceRequest, _ registration: Registration? = nil) {
        onLongWait(LongWait(request: request, registration: registration, duration: patience))
    }
}
