// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Standard input, output and error, as whoever started the process left them.
enum StandardDescriptors {
    /// Makes a closed one fail when it is used, instead of being taken by the next file that is
    /// opened; and a pipe that nobody reads an error instead of the end of the process.
    static func secure() {
        for (descriptor, unusable) in [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
        ] where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", unusable)
        }
        signal(SIGPIPE, SIG_IGN)
    }
}
