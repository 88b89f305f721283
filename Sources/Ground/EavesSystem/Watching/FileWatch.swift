// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import Glibc
import Synchronization

/// Places on the disk whose changes matter. All paths are absolute; the places need not exist yet.
package struct WatchedPlaces: Hashable, Sendable {
    /// Folders in which each file matters, but not the folders in them.
    package var directories: [String]
    /// Single files.
    package var files: [String]
    /// Folders in which each file matters, at any depth. Hidden files and folders do not count.
    package var trees: [String]

    package init(directories: [String] = [], files: [String] = [], trees: [String] = []) {
        self.directories = directories
        self.files = files
        self.trees = trees
    }
}

/// The places that may have changed.
package enum WatchNews: Hashable, Sendable {
    /// These files, or some of them. Each path is that of a watched file, or begins with that of a watched
    /// folder; nothing need be there any more.
    case files(Set<String>)
    /// Anything: a whole folder has come, gone or changed its place, or there was more news than the system keeps.
    case everything
}

/// Watches places on the disk with inotify.
///
/// News says where to look, and never what is there: it comes at least once after each change that is complete,
/// and may come without one. A file is news when its writer closes it, when it is moved in or out, linked or
/// deleted, and when its owner or its mode changes. While it is being written, it is not, with one exception: a new
/// file that already has content may have been linked there whole, and is news at once.
///
/// Symbolic links are followed one by one, and each of them is watched: a link on the way that leads to another
/// folder is news of every place behind it. A folder that does not exist is waited for at the last folder on its
/// way. A file with further names (hard links) is news whichever name it is written by, if it had that name
/// when the watch began or when one of its names in the watched folders changed last.
///
/// The system reports neither changes that another machine makes on a network file system, nor that a file
/// system is mounted over a folder.
///
/// One thread at a time waits. Any thread may call the other functions meanwhile.
package final class FileWatch: Sendable {
    private let inotify: Inotify
    package let alarm: EventFlag
    private let trails = Mutex(Trails())
    /// The reason why the places cannot be watched; `nil` if they can.
    private let obstacle = Mutex<SystemError?>(nil)

    /// Watches nothing yet.
    ///
    /// - Throws: If no descriptor is left. Where the system watches nothing more for this user, ``watch(_:)`` throws.
    package init() throws(SystemError) {
        inotify = Inotify()
        alarm = try EventFlag(for: .watch, "files")
    }

    /// Watches these places from now on, instead of those before. A look at them after this call misses nothing.
    ///
    /// - Throws: If one of them cannot be watched. ``wait(until:)`` tries it again.
    package func watch(_ places: WatchedPlaces) throws(SystemError) {
        try trails.withLock { (trails) throws(SystemError) in
            try trails.follow(places, with: inotify)
        }
    }

    /// Waits until something may have changed. All that has happened by then is one piece of news.
    ///
    /// - Returns: `nil` after ``wake()``, or when the deadline has passed.
    /// - Throws: If a folder that has come cannot be watched. The next call begins with looking at all places
    ///   again, so no change is lost.
    package func wait(
        until deadline: ContinuousClock.Instant? = nil
    ) throws(SystemError) -> WatchNews? {
        while true {
            let isBehind = trails.withLock { $0.isBehind }
            var sources = [
                pollfd(fd: inotify.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: alarm.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&sources, 2, isBehind ? 0 : PollTime.milliseconds(until: deadline))
            if count < 0 {
                guard errno == EINTR || errno == EAGAIN else { throw SystemError(.watch, "files") }
                continue
            }
            if sources[1].revents != 0 {
                alarm.take()
                return nil
            }
            if sources[0].revents != 0 || isBehind {
                let news = try trails.withLock { (trails) throws(SystemError) in
                    try trails.news(from: inotify)
                }
                if let news { return news }
            }
            if let deadline, ContinuousClock.now >= deadline { return nil }
        }
    }

    /// Waits as ``wait(until:)`` does. Where the places cannot be watched, they have to be looked at: then it waits for a
    /// second at most, and returns news of no file.
    ///
    /// - Parameter warn: A function that gets the reason, once until the places can be watched again.
    package func wait(
        until deadline: ContinuousClock.Instant? = nil, warning warn: (Diagnostic) -> Void
    ) -> WatchNews? {
        do throws(SystemError) {
            let news = try wait(until: deadline)
            // A call that was only woken has not looked at what cannot be watched.
            if news != nil { obstacle.withLock { $0 = nil } }
            return news
        } catch {
            let isNew = obstacle.withLock { obstacle in
                defer { obstacle = error }
                return obstacle != error
            }
            if isNew {
                let reason = error.diagnostic
                warn(
                    Diagnostic(
                        "looks every second for changes: \(reason.message)", fix: reason.fix,
                        code: reason.code))
            }
            let limit = ContinuousClock.now + .seconds(1)
            if alarm.wait(until: min(deadline ?? limit, limit)) { alarm.take() }
            return .files([])
        }
    }

    /// Lets ``wait(until:)`` return: the call that is waiting, or else the next one.
    package func wake() { alarm.note() }
}

/// The system's queue of changes on the disk, `inotify`. It is closed when its owner goes; a child process
/// does not inherit it.
struct Inotify: ~Copyable, Sendable {
    /// Becomes readable when something has changed; negative if the system gives this process no queue.
    let descriptor: Int32
    /// The reason for which there is no queue: each watch fails with it.
    private let failure: SystemError?

    init() {
        descriptor = inotify_init1(O_NONBLOCK | O_CLOEXEC)
        failure = descriptor < 0 ? SystemError(.watch, "files") : nil
    }

    deinit { if failure == nil { close(descriptor) } }

    /// Watches a file or folder, in addition to what was watched there before. Does not follow a symbolic link
    /// at the path.
    ///
    /// - Parameter isFolder: Whether to refuse anything other than a folder (`ENOTDIR`).
    /// - Returns: The number of the watch, which is the same for all paths of one file.
    func add(_ changes: Changes, of path: String, isFolder: Bool) throws(SystemError) -> Int32 {
        if let failure { throw failure }
        let how: Changes =
            isFolder ? [.addToMask, .dontFollow, .onlyFolder] : [.addToMask, .dontFollow]
        let mask = changes.union(how).rawValue
        let watch = path.withCString { inotify_add_watch(descriptor, $0, mask) }
        guard watch >= 0 else { throw SystemError(.watch, path) }
        return watch
    }

    /// Ends a watch. The system may have ended it already, because the file is gone.
    func remove(_ watch: Int32) {
        inotify_rm_watch(descriptor, watch)
    }

    /// Takes the events that are there, without waiting for any.
    ///
    /// - Returns: The changes, for each watch and each name once.
    func events() throws(SystemError) -> [Place: Changes] {
        var events: [Place: Changes] = [:]
        if failure != nil { return events }
        var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
        // Changes that come faster than this reads them are reported with the next news.
        for _ in 0..<Self.maximumReads {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno != EAGAIN {
                throw SystemError(.read, "the system's news of files")
            }
            guard count > 0 else { break }
            buffer.withUnsafeBytes { bytes in
                Self.parse(UnsafeRawBufferPointer(rebasing: bytes[..<count])) { place, changes in
                    events[place, default: []].formUnion(changes)
                }
            }
        }
        return events
    }

    /// In bytes. Holds two thousand events with short names.
    private static let bufferSize = 64 << 10
    /// As much as a full queue of the usual length.
    private static let maximumReads = 64

    /// - Parameter bytes: Whole events, as the system returns them: four integers of 32 bits (the watch, the
    ///   changes, the cookie, the length of the name), and the name, which zeros fill up.
    private static func parse(_ bytes: UnsafeRawBufferPointer, _ report: (Place, Changes) -> Void) {
        let headerSize = 16
        var offset = 0
        while offset + headerSize <= bytes.count {
            // SAFETY: any bit pattern is a valid integer, and the buffer checks its bounds.
            let watch = bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
            let changes = Changes(
                rawValue: bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
            let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
            let start = offset + headerSize
            offset = start + length
            let name = bytes[start..<min(offset, bytes.count)].prefix { $0 != 0 }
            report(
                Place(
                    watch: watch, name: String(decoding: name, as: UTF8.self),
                    isFolder: changes.contains(.isFolder)),
                changes)
        }
    }
}

extension Inotify {
    struct Place: Hashable {
        var watch: Int32
        /// The name in a watched folder; empty if the event is about the watched file or folder itself.
        var name: String
        /// Whether the name is, or was, that of a folder.
        var isFolder: Bool
    }

    /// Kinds of changes, and how to watch for them: the constants `IN_…` of `<sys/inotify.h>`.
    struct Changes: OptionSet {
        let rawValue: UInt32

        /// A file that was open for writing was closed.
        static let closed = Changes(rawValue: UInt32(IN_CLOSE_WRITE))
        static let status = Changes(rawValue: UInt32(IN_ATTRIB))
        static let created = Changes(rawValue: UInt32(IN_CREATE))
        static let deleted = Changes(rawValue: UInt32(IN_DELETE))
        static let movedIn = Changes(rawValue: UInt32(IN_MOVED_TO))
        static let movedOut = Changes(rawValue: UInt32(IN_MOVED_FROM))
        static let deletedItself = Changes(rawValue: UInt32(IN_DELETE_SELF))
        static let movedItself = Changes(rawValue: UInt32(IN_MOVE_SELF))
        /// The system has ended the watch.
        static let ended = Changes(rawValue: UInt32(IN_IGNORED))
        /// The queue was full: the changes are unknown.
        static let overflow = Changes(rawValue: UInt32(IN_Q_OVERFLOW))
        static let isFolder = Changes(rawValue: UInt32(IN_ISDIR))

        fileprivate static let addToMask = Changes(rawValue: UInt32(IN_MASK_ADD))
        fileprivate static let onlyFolder = Changes(rawValue: UInt32(IN_ONLYDIR))
        fileprivate static let dontFollow = Changes(rawValue: UInt32(IN_DONT_FOLLOW))

        /// The changes that move a folder out of its place, or decide who can change it.
        static let ofItself: Changes = [.deletedItself, .movedItself, .status]
        /// The changes of the names in a folder, too. A folder that is watched like that gives an event for
        /// each file of everybody, so this is not for the folders on the way.
        static let ofNames: Changes = [
            .deletedItself, .movedItself, .status, .closed, .created, .deleted, .movedIn, .movedOut,
        ]
        /// The changes of a file that has further names, or whose folder cannot be watched.
        static let ofFile: Changes = [.deletedItself, .movedItself, .status, .closed]
    }
}
