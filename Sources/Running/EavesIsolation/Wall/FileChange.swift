// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesChild
import EavesSystem
import EavesTrust
import Glibc

/// A call by which a module's process changes the mode, the owner or the times of a file. The kernel's rules for files do
/// not cover these calls: the broker opens the file, looks where it is, and makes the change in the place of the process.
struct FileChange {
    private enum Act {
        case mode(UInt32)
        case owner(UInt32, group: UInt32)
        case times([timespec])
    }

    private let act: Act
    private let thread: pid_t
    /// A descriptor of the process, or `AT_FDCWD`: of the folder from which the path leads, or of the file itself.
    private let start: Int32
    /// Ends with a zero byte; `nil` for the file that `start` is.
    private let path: [CChar]?
    private let followsLink: Bool

    private static let handle = PathHandle.pathOnly | O_CLOEXEC
    /// `AT_EMPTY_PATH` and `UTIME_NOW`, which Swift's Glibc module leaves out.
    private static let (emptyPath, now) = (UInt32(0x1000), (1 << 30) - 1)

    /// - Parameter memory: A function that copies bytes of the process; there are fewer where its memory ends.
    /// - Returns: `nil` if the arguments lead to none.
    init?(_ call: eaves_wall_call, _ memory: (_ address: UInt64, _ count: Int) -> [UInt8]) {
        let arguments = call.arguments
        let words = [arguments.1, arguments.2, arguments.3, arguments.4].map {
            UInt32(truncatingIfNeeded: $0)
        }
        var (start, place, flags) = (
            Int32(truncatingIfNeeded: arguments.0), arguments.1 as UInt64?, UInt32(0)
        )
        switch call.number {
        case Int32(SYS_fchmod): (act, place) = (.mode(words[0]), nil)
        case Int32(SYS_fchown): (act, place) = (.owner(words[0], group: words[1]), nil)
        case Int32(SYS_fchmodat): act = .mode(words[1])
        case Int32(SYS_fchownat): (act, flags) = (.owner(words[1], group: words[2]), words[3])
        case Int32(SYS_utimensat):
            var times = [timespec](repeating: timespec(tv_sec: 0, tv_nsec: Self.now), count: 2)
            if arguments.2 != 0 {
                let bytes = memory(arguments.2, 2 * MemoryLayout<timespec>.stride)
                guard bytes.count == 2 * MemoryLayout<timespec>.stride else { return nil }
                times = bytes.withUnsafeBytes { raw in
                    (0..<2).map { raw.loadUnaligned(fromByteOffset: $0 * 16, as: timespec.self) }
                }
            }
            (act, flags) = (.times(times), words[2])
            if arguments.1 == 0 { place = nil }
        default:
            (start, place) = (AT_FDCWD, arguments.0)
            #if arch(x86_64)
                if call.number == Int32(SYS_lchown) { flags = UInt32(AT_SYMLINK_NOFOLLOW) }
                act =
                    call.number == Int32(SYS_chmod)
                    ? .mode(words[0]) : .owner(words[0], group: words[1])
            #else
                return nil
            #endif
        }
        var path: [CChar]?
        if let place {
            let bytes = memory(place, Int(PATH_MAX))
            guard let end = bytes.firstIndex(of: 0) else { return nil }
            let isEmpty = end == 0 && flags & Self.emptyPath != 0
            path = isEmpty ? nil : bytes[...end].map { CChar(bitPattern: $0) }
        }
        (self.start, self.path, thread) = (start, path, call.thread)
        followsLink = flags & UInt32(AT_SYMLINK_NOFOLLOW) == 0
    }

    /// The places of the files and folders of a permission, before the module can exchange them.
    static func places(of paths: [String], _ files: PermittedFiles) -> [[UInt8]] {
        paths.compactMap { path in
            guard let file = try? files.open(path) else { return nil }
            return place(of: file.ownPath)
        }
    }

    /// Whether a place is one of these, or inside of one.
    static func isInside(_ place: [UInt8], _ places: [[UInt8]]) -> Bool {
        let slash = UInt8(ascii: "/")
        return places.contains { root in
            place == root || place.starts(with: root == [slash] ? root : root + [slash])
        }
    }

    /// The place of an open file, as the system has it now, by its own path.
    static func place(of ownPath: String) -> [UInt8] {
        var place = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(ownPath, &place, place.count)
        return place.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
    }

    /// Makes the change.
    ///
    /// - Parameters:
    ///   - writable: The places that the process may write.
    ///   - stillWaits: A function that tells whether the process still waits for the call, so that its number was its own.
    /// - Returns: The error that the process gets, 0 for none, and the words for the host's log, behind `may not`.
    func perform(
        in writable: [[UInt8]], _ stillWaits: () -> Bool
    ) -> (error: Int32, words: String?) {
        let file = opened()
        var status = stat()
        guard file >= 0 else { return (errno, nil) }
        defer { close(file) }
        guard stillWaits(), fstat(file, &status) == 0 else { return (ESRCH, nil) }
        let own = PathHandle.ownPath(of: file)
        let (kind, place) = (status.st_mode & S_IFMT, Self.place(of: own))
        let shown = String(decoding: place, as: UTF8.self)
        guard Self.isInside(place, writable) else {
            let words = "change \(shown): the manifest's 'permissions' do not list it under 'write'"
            return (EPERM, words)
        }
        if kind == S_IFLNK { return (EOPNOTSUPP, nil) }
        guard status.st_uid == geteuid() else {
            return (EPERM, "change \(shown): another user owns it")
        }
        switch act {
        // Files of a folder with the bit of a group get that group.
        case .mode(let mode) where mode & (kind == S_IFDIR ? 0o4000 : 0o6000) == 0:
            return (chmod(own, mode & 0o7777) == 0 ? 0 : errno, nil)
        case .mode: return (EPERM, "let \(shown) run as its user: no permission allows that")
        case .owner(let owner, let group)
        where [status.st_uid, ~0].contains(owner) && [status.st_gid, ~0].contains(group):
            return (0, nil)
        case .owner: return (EPERM, "give \(shown) to another user: no permission allows that")
        case .times(let times): return (utimensat(AT_FDCWD, own, times, 0) == 0 ? 0 : errno, nil)
        }
    }

    /// Opens the file by a handle, which neither reads nor waits.
    private func opened() -> Int32 {
        let own = start == AT_FDCWD ? "cwd" : "fd/\(start)"
        let first = open("/proc/\(thread)/\(own)", Self.handle)
        guard first >= 0, let path else { return first }
        defer { close(first) }
        return openat(first, path, Self.handle | (followsLink ? 0 : O_NOFOLLOW))
    }
}
