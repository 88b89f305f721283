// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Glibc

/// Appends each event to a file as one line of JSON.
///
/// A line is one `write` to a file opened for appending, so lines of several threads and processes
/// do not mix.
struct EventFile: EventHandler {
    let path: String

    func handle(_ event: Event) async throws {
        let line = Array((EventLine(event: event, time: time(nil)).json + "\n").utf8)
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw EventFileError(path: path, code: errno) }
        defer { close(file) }
        guard write(file, line, line.count) == line.count else {
            throw EventFileError(path: path, code: errno)
        }
    }
}
