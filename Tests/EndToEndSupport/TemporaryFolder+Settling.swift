// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesTestSupport
import Foundation
import Glibc

extension TemporaryFolder {
    /// Waits until the clock of the file system is well past the last change of a folder and its files.
    /// From then on, every change gives a file another time, so that the cache may rely on it.
    func settle(_ path: String = "Plugins") throws {
        let folder = url.appendingPathComponent(path)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let paths = [folder.path] + names.map { folder.appendingPathComponent($0).path }
        let last = try paths.map(Self.changed).max() ?? 0
        // The clocks of some file systems tick in whole seconds.
        let tick = last % 1_000_000_000 == 0 ? 3_000_000_000 : 50_000_000
        try Patience.wait(for: "a later time on the clock of the file system") {
            let probe = try write("", to: "settling")
            defer { try? FileManager.default.removeItem(atPath: probe) }
            return try Self.changed(probe) > last + tick
        }
    }

    /// The time of a file's last change, in nanoseconds since 1970.
    private static func changed(_ path: String) throws -> Int {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw CocoaError(.fileNoSuchFile) }
        return status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec
    }
}
