// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An error number of the C library.
package struct Errno: RawRepresentable, Hashable, Sendable {
    package var rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The calling thread's error number.
    package static var current: Errno { Errno(rawValue: errno) }

    package static let noSuchFile = Errno(rawValue: ENOENT)
    package static let permissionDenied = Errno(rawValue: EACCES)
    package static let notPermitted = Errno(rawValue: EPERM)
    package static let isDirectory = Errno(rawValue: EISDIR)
    package static let notDirectory = Errno(rawValue: ENOTDIR)
    package static let brokenPipe = Errno(rawValue: EPIPE)
    package static let badDescriptor = Errno(rawValue: EBADF)
    package static let readOnly = Errno(rawValue: EROFS)
    package static let fileExists = Errno(rawValue: EEXIST)
    package static let tooManyLinks = Errno(rawValue: ELOOP)

    /// Whether there is nothing under the name: also if what should be a folder on the way is none.
    package var meansMissing: Bool { self == .noSuchFile || self == .notDirectory }
    package static let tryAgain = Errno(rawValue: EAGAIN)
}

extension Errno: CustomStringConvertible {
    /// The C library's words for it, such as `No such file or directory`.
    package var description: String { String(cString: strerror(rawValue)) }
}
