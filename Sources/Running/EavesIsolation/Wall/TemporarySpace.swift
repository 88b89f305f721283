// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem
import Glibc

/// The private folder of a module's process for its temporary files, in the one that this process has for its own. It goes
/// with the process.
package final class TemporarySpace: Sendable {
    private let folder: WorkFolder

    /// The variables that lead programs, SQLite and Foundation to the folder.
    static let variables = ["TMPDIR", "SQLITE_TMPDIR"]

    /// The most entries that are looked at: where there are more, the folder is full.
    private static let mostEntries = 100_000

    /// Makes the folder in the first of the usual places that this user may write.
    ///
    /// - Throws: The error of the first place, if there is none.
    package init() throws(SystemError) {
        let own = Environment.current["TMPDIR"].map { Path.absolute($0) }
        var first: SystemError?
        for place in [own, "/tmp", "/var/tmp", "/dev/shm"].compactMap(\.self) {
            do throws(SystemError) {
                folder = try WorkFolder(in: OpenFolder(place), for: "worker")
                return
            } catch {
                first = first ?? error
            }
        }
        throw first ?? SystemError(.create, "/tmp")
    }

    package var path: String { folder.plainPath }

    /// Removes the folder, whose process is to end.
    func remove() { folder.remove() }

    /// Whether the folder has taken more than a limit, with the files that are removed there and still open.
    ///
    /// - Parameters:
    ///   - limit: In bytes of the disk.
    ///   - processes: The processes that may have such files open.
    func isOver(_ limit: UInt64, for processes: [Int32]) -> Bool {
        var (size, count) = (UInt64(0), 0)
        var counted: Set<ino_t> = []
        var folders = [path]
        while let folder = folders.popLast() {
            for entry in (try? Folder(folder).entries) ?? [] {
                let path = Path.join(folder, entry.name)
                var status = stat()
                guard lstat(path, &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFDIR { folders.append(path) }
                if counted.insert(status.st_ino).inserted { size += UInt64(status.st_blocks) * 512 }
                count += 1
                if size > limit || count > Self.mostEntries { return true }
            }
        }
        for process in processes {
            for entry in (try? Folder("/proc/\(process)/fd").entries) ?? [] {
                let link = "/proc/\(process)/fd/\(entry.name)"
                var status = stat()
                guard (try? Files.target(ofLink: link))?.hasPrefix(path + "/") == true,
                    stat(link, &status) == 0, status.st_nlink == 0,
                    counted.insert(status.st_ino).inserted
                else { continue }
                size += UInt64(status.st_blocks) * 512
            }
        }
        return size > limit
    }
}
