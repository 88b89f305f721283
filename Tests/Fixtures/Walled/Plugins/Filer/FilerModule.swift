// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Foundation

enum FilerModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.registerFeature("filer") { _ in Filer() }
    }
}

/// Calls Foundation's functions for files in the folders that its arguments name, and prints for each function how that ends.
struct Filer: Feature {
    func launch(_ launch: Launch) async throws -> ExitCode {
        let folders = launch.arguments.map { URL(fileURLWithPath: $0) }
        for (name, act) in Self.acts {
            let ends = folders.map { folder in
                do {
                    try act(FileCase(folder.appendingPathComponent(UUID().uuidString), in: folder))
                    return "works"
                } catch {
                    return error is NoEffect ? "has no effect" : "fails"
                }
            }
            try launch.console.write("| \(name) | \(ends.joined(separator: " | ")) |\n")
        }
        return .success
    }

    private static let manager = FileManager.default
    private static let long = Date(timeIntervalSince1970: 86_400)

    private struct NoEffect: Error {}

    private static func expect(_ isTrue: Bool) throws { if !isTrue { throw NoEffect() } }

    private static func mode(_ file: URL) throws -> Int? {
        try manager.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }

    private static func time(_ file: URL) throws -> Date? {
        try manager.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
    }

    /// A place for a new file, and a file that the host has made there, if it has.
    private struct FileCase {
        let new: URL
        let old: URL

        init(_ new: URL, in folder: URL) {
            self.new = new
            old = folder.appendingPathComponent("old")
        }

        /// A copy of the old file that the module has made, or the old file itself where it cannot.
        var own: URL {
            (try? Data("text".utf8).write(to: new)) == nil ? old : new
        }
    }

    private static var acts: [(String, (FileCase) throws -> Void)] {
        [
            ("`Data.write(to:)`", { try Data("text".utf8).write(to: $0.new) }),
            (
                "`Data.write(to:options: .atomic)`",
                { try Data("text".utf8).write(to: $0.new, options: .atomic) }
            ),
            (
                "`String.write(to:atomically:encoding:)`",
                { try "text".write(to: $0.new, atomically: true, encoding: .utf8) }
            ),
            (
                "`createFile(atPath:contents:attributes:)` with mode 0600",
                { place in
                    let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
                    let isMade = manager.createFile(
                        atPath: place.new.path, contents: Data("text".utf8), attributes: attributes)
                    guard isMade else { throw CocoaError(.fileWriteUnknown) }
                    try expect(mode(place.new) == 0o600)
                }
            ),
            (
                "`createDirectory(at:withIntermediateDirectories:)`",
                {
                    try manager.createDirectory(
                        at: $0.new.appendingPathComponent("inner"),
                        withIntermediateDirectories: true)
                }
            ),
            (
                "`createDirectory(at:withIntermediateDirectories:attributes:)` with mode 0700",
                { place in
                    try manager.createDirectory(
                        at: place.new, withIntermediateDirectories: false,
                        attributes: [.posixPermissions: 0o700])
                    try expect(mode(place.new) == 0o700)
                }
            ),
            (
                "`copyItem(at:to:)`",
                { place in
                    try manager.copyItem(at: place.old, to: place.new)
                    try expect(try Data(contentsOf: place.new) == Data(contentsOf: place.old))
                }
            ),
            (
                "`copyItem(at:to:)` of a folder",
                { place in
                    let copy = place.new.appendingPathExtension("copy")
                    try manager.createDirectory(
                        at: place.new.appendingPathComponent("inner"),
                        withIntermediateDirectories: true
                    )
                    try manager.copyItem(at: place.new, to: copy)
                    try expect(
                        manager.fileExists(atPath: copy.appendingPathComponent("inner").path))
                }
            ),
            (
                "`moveItem(at:to:)`",
                { try manager.moveItem(at: $0.own, to: $0.old.appendingPathExtension("moved")) }
            ),
            ("`linkItem(at:to:)`", { try manager.linkItem(at: $0.old, to: $0.new) }),
            (
                "`createSymbolicLink(at:withDestinationURL:)`",
                { try manager.createSymbolicLink(at: $0.new, withDestinationURL: $0.old) }
            ),
            (
                "`setAttributes(_:ofItemAtPath:)` with a mode",
                { place in
                    let file = place.own
                    try manager.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
                    try expect(mode(file) == 0o640)
                }
            ),
            (
                "`setAttributes(_:ofItemAtPath:)` with a mode that sets the user",
                {
                    try manager.setAttributes(
                        [.posixPermissions: 0o4755], ofItemAtPath: $0.own.path)
                }
            ),
            (
                "`setAttributes(_:ofItemAtPath:)` with a date",
                { place in
                    let file = place.own
                    try manager.setAttributes([.modificationDate: long], ofItemAtPath: file.path)
                    try expect(time(file) == long)
                }
            ),
            (
                "`setAttributes(_:ofItemAtPath:)` with an owner",
                { try manager.setAttributes([.ownerAccountID: 12345], ofItemAtPath: $0.own.path) }
            ),
            (
                "`attributesOfItem(atPath:)`",
                { _ = try manager.attributesOfItem(atPath: $0.old.path) }
            ),
            (
                "`contentsOfDirectory(at:…)`",
                {
                    _ = try manager.contentsOfDirectory(
                        at: $0.old.deletingLastPathComponent(), includingPropertiesForKeys: nil)
                }
            ),
            ("`Data(contentsOf:)`", { _ = try Data(contentsOf: $0.old) }),
            (
                "`FileHandle(forUpdating:)`, `write`, `truncate`, `synchronize`",
                { place in
                    let handle = try FileHandle(forUpdating: place.own)
                    try handle.write(contentsOf: Data("more".utf8))
                    try handle.truncate(atOffset: 2)
                    try handle.synchronize()
                }
            ),
            ("`removeItem(at:)`", { try manager.removeItem(at: $0.own) }),
        ]
    }
}
