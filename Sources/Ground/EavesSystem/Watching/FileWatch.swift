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
    /// Anything: a whole folder has come, gone or changed its place, or there was more news than the system
    /// keeps.
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

    /// Watches these places from now on, instead of those before. A look at them after this call misses
    /// nothing.
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
