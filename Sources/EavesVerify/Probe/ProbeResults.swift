// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc

/// The probe's end of the pipe that events are written to.
struct ProbeResults: Sendable {
    let descriptor: Int32

    /// Where no module expects it, so that one which closes or writes what it did not open meets
    /// nothing.
    private static let place: Int32 = 500

    /// - Parameter inherited: The number that the process was started with.
    init(_ inherited: Int32) {
        let moved = fcntl(inherited, F_DUPFD_CLOEXEC, Self.place)
        guard moved >= 0 else {
            descriptor = inherited
            return
        }
        close(inherited)
        descriptor = moved
    }

    /// Writes a line. The verifying process is gone if that fails, and this one ends with it.
    func send(_ event: ProbeEvent) {
        _ = Array((event.json + "\n").utf8).withUnsafeBufferPointer {
            OpenFile.write($0, to: descriptor)
        }
    }
}
