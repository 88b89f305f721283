// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import Glibc

/// Reports a system call that failed.
package struct SystemError: Error, Hashable, Sendable {
    package enum Action: String, Sendable {
        case open, read, write, create, list, inspect, rename, remove, run, lock, watch
        /// A system call, whose name is the path.
        case call
    }

    package var action: Action
    /// The file or program concerned, as messages name it.
    package var path: String
    package var errno: Errno
    /// The process that has the lock which this one could not take, if that is known.
    package var holder: LockHolder?

    /// A file that is not there because its name is not UTF-8 gets ``Errno/nameIsNotText``: Swift replaces
    /// each byte that is not text by U+FFFD, and no file has the name that results.
    package init(
        _ action: Action, _ path: String, _ errno: Errno = .current,
        heldBy holder: LockHolder? = nil
    ) {
        self.action = action
        self.path = path
        self.holder = holder
        self.errno =
            errno == .noSuchFile && (path.unicodeScalars.contains("\u{FFFD}") || path.keepsBytes)
            ? .nameIsNotText : errno
    }
}

extension SystemError: Diagnosable {
    package var diagnostic: Diagnostic {
        let fix: String? =
            switch errno {
            case .noSpace where action == .watch:
                "raise the number of files and folders that a user can watch: "
                    + "'sudo sysctl fs.inotify.max_user_watches=1048576'"
            case .tooManyOpenFiles where action == .watch:
                "raise the number of watching processes: 'sudo sysctl fs.inotify.max_user_instances=1024'; "
                    + "or the number of files that a process can open: 'ulimit -n'"
            case .tooManyOpenFiles: "raise the number of files that a process can open: 'ulimit -n'"
            // The name is an entry of the folder.
            case .permissionDenied where [.create, .rename, .remove].contains(action):
                "check the owner and permissions of \(Path.parent(of: path).shellPath)"
            case .notPermitted where action == .call:
                "let the container, or what else filters system calls here, allow '\(path)': "
                    + "Docker does with '--cap-add SYS_PTRACE'"
            case .permissionDenied, .notPermitted:
                "check the owner and permissions of \(path.shellPath)"
            case .noSpace, .quotaExceeded: "free space on the disk that holds \(path.shellPath)"
            case .fileTooBig where action == .write:
                "raise the limit on the size of files, 'ulimit -f'"
            case .nameIsNotText: "give it a name in UTF-8"
            case .busy where action == .rename:
                "mount the folder that holds it in its place, which Eaves can write a new file into"
            case .readOnly: "mount its file system writable, or work on a copy"
            case .fileExists where action == .create: "move away the file that has this name"
            case .tryAgain where action == .lock:
                "wait until \(holder.map { "process \($0.process)" } ?? "its holder") has ended, or end it, "
                    + "and run the command again"
            default: nil
            }
        let code: FailureCode =
            switch (action, errno) {
            case (_, .noSuchFile) where action != .create: .notFound
            case (.create, _): .cannotCreate
            case (.call, _): .configuration
            case (_, .permissionDenied), (_, .notPermitted): .untrusted
            default: .inputOutput
            }
        return Diagnostic("cannot \(action.rawValue) \(path): \(reason)", fix: fix, code: code)
    }

    /// The C library's words, except where they would lead astray: the limit of watches does not concern the
    /// disk, and a lock that another process has is not "temporarily unavailable".
    private var reason: String {
        switch (action, errno) {
        case (.watch, .noSpace): "this user already has as many watches as the system allows"
        case (.rename, .busy): "it is a mount point, which no other file can replace"
        case (.lock, .tryAgain): "\(holder?.words ?? "another process") has it"
        default: errno.description
        }
    }
}

/// An error number of the C library.
package struct Errno: RawRepresentable, Hashable, Sendable {
    package var rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    package static var current: Errno { Errno(rawValue: errno) }

    package static let noSuchFile = Errno(rawValue: ENOENT)
    /// The bytes of a name are no text, as far as Eaves or a file system can tell.
    package static let nameIsNotText = Errno(rawValue: EILSEQ)
    package static let permissionDenied = Errno(rawValue: EACCES)
    package static let notPermitted = Errno(rawValue: EPERM)
    package static let isDirectory = Errno(rawValue: EISDIR)
    package static let notDirectory = Errno(rawValue: ENOTDIR)
    package static let brokenPipe = Errno(rawValue: EPIPE)
    package static let readOnly = Errno(rawValue: EROFS)
    package static let busy = Errno(rawValue: EBUSY)
    package static let fileExists = Errno(rawValue: EEXIST)
    package static let invalidArgument = Errno(rawValue: EINVAL)
    package static let tooManyOpenFiles = Errno(rawValue: EMFILE)
    package static let tooManyLinks = Errno(rawValue: ELOOP)
    package static let tryAgain = Errno(rawValue: EAGAIN)
    package static let noSpace = Errno(rawValue: ENOSPC)
    package static let quotaExceeded = Errno(rawValue: EDQUOT)
    package static let fileTooBig = Errno(rawValue: EFBIG)
    package static let unsupported = Errno(rawValue: EOPNOTSUPP)

    /// Whether no file has the name. This includes a path that leads through something other than a folder.
    package var meansMissing: Bool { self == .noSuchFile || self == .notDirectory }
}

extension Errno: CustomStringConvertible {
    /// The C library's message, such as `No such file or directory`.
    package var description: String {
        self == .nameIsNotText ? "its name is not UTF-8" : String(cString: strerror(rawValue))
    }
}
