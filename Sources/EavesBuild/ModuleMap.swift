// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// The few lines that tell Clang which headers make a module.
enum ModuleMap {
    /// Where a header of a module stands.
    ///
    /// SwiftPM's module map names a folder (`umbrella "/…/include"`), one written by hand the header
    /// itself. Relative paths are relative to the map.
    static func header(_ name: String, of map: String) throws(BuildError) -> String {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read(map)
        } catch {
            throw BuildError("eaves", .unreadable(error))
        }
        // What stands between the first two quotes.
        let parts = bytes.split(
            separator: UInt8(ascii: "\""), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            throw BuildError("eaves", .damagedSDK(path: map, missing: "where \(name) is"))
        }
        let place = Path.absolute(
            String(decoding: parts[1], as: UTF8.self), from: Path.parent(of: map))
        return Path.name(of: place) == name ? place : Path.join(place, name)
    }
}
