// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem
import Glibc

/// The open files of a module and of the interface modules that it needs, for each process that a worker starts.
package final class WorkerFiles: Sendable {
    /// Those of the interface modules first, each behind those that it builds on, and the module's own last.
    let descriptors: [Int32]

    /// A child gets no descriptor with as high a number, so that these are free to become any of its own.
    private static let lowest: Int32 = 64

    /// - Parameter files: Are duplicated.
    /// - Throws: `SystemError` if no descriptor is left.
    package init(duplicating files: [Int32]) throws(SystemError) {
        var descriptors: [Int32] = []
        for file in files {
            let descriptor = fcntl(file, F_DUPFD_CLOEXEC, Self.lowest)
            guard descriptor >= 0 else {
                let error = SystemError(.open, "a module's file")
                for descriptor in descriptors { close(descriptor) }
                throw error
            }
            descriptors.append(descriptor)
        }
        self.descriptors = descriptors
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
