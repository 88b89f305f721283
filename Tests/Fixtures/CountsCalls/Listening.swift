// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Glibc

/// A local socket, which has its path as soon as it takes calls.
func listeningSocket(at final: String) throws -> Int32 {
    let path = final + ".new"
    unlink(path)
    let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(made, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    guard result == 0, listen(made, 100) == 0, rename(path, final) == 0 else {
        throw UsageError("cannot listen at \(path): \(String(cString: strerror(errno)))")
    }
    _ = fcntl(made, F_SETFL, O_NONBLOCK)
    return made
}
