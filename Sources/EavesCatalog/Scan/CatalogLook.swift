// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesManifest
import EavesSystem
import Synchronization

/// The first look at what a catalog is made of: the cache, and whether files are as it has them.
///
/// Where there are many files, to look at them takes most of a catalog's time. So another processor
/// helps with it, and may begin before the catalog is asked for.
package final class CatalogLook: Sendable {
    /// What the look goes by.
    struct Start: Sendable {
        let cache: CatalogCache?
        /// By their paths; without those that cannot be listed.
        let directories: [String: DirectoryLook]
    }

    private enum State {
        case notBegun
        case begun(Start)
        case ended
    }

    /// The size of a cache of about as many files as can be looked at while a thread begins. In bytes.
    private static let manyFiles = 100_000

    /// Where the last catalog was kept and this one will be; `nil` to do without.
    let file: CacheFile?
    /// When nobody had looked at a file yet, in nanoseconds since 1970.
    let now: Int64
    private let paths: [String]
    private let state = Mutex(State.notBegun)

    /// Looks at nothing yet.
    package convenience init(_ manifest: Manifest) {
        self.init(manifest, cache: CacheFile(in: manifest.store), now: WallClock.now)
    }

    /// - Parameters:
    ///   - cache: Where the last catalog was kept; `nil` to do without.
    ///   - now: The time, in nanoseconds since 1970.
    init(_ manifest: Manifest, cache: CacheFile?, now: Int64) {
        file = cache
        self.now = now
        paths = manifest.directories.map { Path.absolute($0, from: manifest.directory) }
    }

    /// Has another processor begin, if there are many files.
    package func begin() {
        guard let file, file.size >= Self.manyFiles else { return }
        Errand.begin { self.help() }
    }

    /// Looks at files until there is none left that no other thread looks at.
    private func help() {
        guard let start = startUnlessEnded else { return }
        for path in paths { start.directories[path]?.help() }
    }

    /// Lets go of the directories. To be called when the catalog is made.
    func end() { state.withLock { $0 = .ended } }

    /// Made by whoever is the first to ask.
    var start: Start { startUnlessEnded ?? makeStart() }

    private var startUnlessEnded: Start? {
        state.withLock { state in
            switch state {
            case .begun(let start): return start
            case .ended: return nil
            case .notBegun:
                let made = makeStart()
                state = .begun(made)
                return made
            }
        }
    }

    private func makeStart() -> Start {
        let cache = file?.read()
        var directories: [String: DirectoryLook] = [:]
        for path in paths where directories[path] == nil {
            // Whoever makes the catalog tries again, and says why not.
            directories[path] = try? DirectoryLook(path, cache: cache)
        }
        return Start(cache: cache, directories: directories)
    }
}
