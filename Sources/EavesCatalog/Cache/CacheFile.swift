// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc

/// The catalog's cache as a file in the store. Whatever is wrong with it, the command goes on
/// without: the same is then read from the modules.
package struct CacheFile: Sendable {
    /// More than any catalog needs; a larger file is not ours. In bytes.
    private static let maximumSize = 256 << 20

    private let store: String
    private let reader: FileIdentity
    private var path: String { Path.join(store, "catalog") }

    /// `nil` where it cannot be told which program this is.
    ///
    /// - Parameter store: The folder that it is in.
    package init?(in store: String) {
        guard let program = try? FileStatus(path: "/proc/self/exe") else { return nil }
        self.store = store
        reader = FileIdentity(program)
    }

    /// What an earlier run has left; `nil` if that is nothing of use.
    ///
    /// - Parameter isNarrow: Whether little of it is needed: then only that is read.
    func read(narrow isNarrow: Bool = false) -> CatalogCache? {
        guard let file = try? OpenFile(reading: path), let status = try? file.status(),
            Self.isOwn(status), status.size <= Self.maximumSize
        else { return nil }
        let bytes =
            isNarrow
            ? CacheBytes(later: file, size: status.size) : CacheBytes(file, size: status.size)
        return bytes.flatMap { CatalogCache($0, reader: reader) }
    }

    /// Nobody else may have written it: who could would decide what is known of every module.
    private static func isOwn(_ status: FileStatus) -> Bool {
        status.kind == .file && status.mode & 0o022 == 0
            && (status.owner == geteuid() || status.owner == 0)
    }

    /// Leaves what was seen for later runs. Where that cannot be written, they look again.
    ///
    /// - Parameter start: When nobody had looked at a file yet, in nanoseconds since 1970.
    func write(_ survey: ModuleSurvey, since start: Int64) {
        guard makeStore() else { return }
        let image = CatalogCache.image(survey, since: start, reader: reader)
        let temporary = Files.temporaryName(beside: path)
        do {
            try OpenFile(creating: temporary, mode: 0o600).write(image)
            // One step: of two processes each leaves a whole cache. It need not survive a power cut,
            // after which its checksum is wrong.
            try Files.rename(temporary, to: path)
        } catch {
            try? Files.remove(temporary)
        }
    }

    /// Root makes no store in somebody else's folder, who could not use it then.
    private func makeStore() -> Bool {
        if let status = try? FileStatus(path: store) {
            return status.kind == .directory && status.owner == geteuid()
        }
        guard (try? FileStatus(path: Path.parent(of: store)))?.owner == geteuid() else {
            return false
        }
        return (try? Files.createFolder(store, mode: 0o700)) != nil
    }
}
