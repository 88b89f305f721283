// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the probe's process prints: both its standard output and its standard error lead into one
/// file in memory, which the verifying process reads.
enum ProbeOutput {
    /// How much has been printed, in bytes, with what C functions and `print` kept back.
    static var size: Int {
        fflush(nil)
        var status = stat()
        return fstat(STDOUT_FILENO, &status) == 0 ? Int(status.st_size) : 0
    }

    /// As much may be printed, so that a loop which prints fills no memory. In bytes.
    private static let limit: UInt = 256 << 20

    /// From now on what goes beyond the limit ends the process, with a signal.
    static func restrict() {
        var limit = rlimit(rlim_cur: limit, rlim_max: limit)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }

    /// What has been printed behind a place: its beginning, if it is long.
    static func text(from offset: Int) -> String {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = pread(STDOUT_FILENO, &buffer, buffer.count, off_t(offset))
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
}
