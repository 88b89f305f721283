// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesSystem
import EavesTrust

/// The interfaces that modules in one folder are compiled against, as the compiler wants them: one
/// folder for each text, named by its digest, next to the records of builds.
///
/// It holds the textual interface out of an interface module's `.so` and, where that was built here, the
/// binary one as well, which the compiler reads without compiling the text first.
struct InterfaceCache: Sendable {
    /// Absolute.
    private let folder: String

    /// - Parameter output: A file next to which the records are.
    init(nextTo output: String) {
        folder = Path.join(RecordPlace(of: output).folder, "interfaces")
    }

    /// The folder of a text.
    private func place(of text: InterfaceText) -> String { Path.join(folder, text.digest) }

    /// The folder to search for an interface, which is created if it does not exist.
    ///
    /// - Throws: ``BuildError`` if it cannot be written, or others can change it.
    static func searchFolder(
        for file: InterfaceFile, _ request: BuildRequest
    ) throws(BuildError) -> String {
        let places = [InterfaceCache(nextTo: request.output), InterfaceCache(nextTo: file.path)]
            .map { $0.place(of: file.text) }
        // The one with the binary interface is read faster.
        let built = places.first { place in
            isReadable(Path.join(place, "\(file.stamp.module).swiftmodule"))
                && hasText(of: file, in: place)
        }
        let folder = built ?? places[0]
        do throws(SystemError) {
            if built == nil { try write(file.text, of: file.stamp.module, into: folder) }
            try keep(folder)
        } catch {
            throw BuildError(request.id, .unwritable(error))
        }
        if let error = request.trust.error(of: TrustPlace(folder, .way)) {
            throw BuildError(request.id, .untrusted(error))
        }
        return folder
    }

    /// Keeps the interfaces that the compiler made of an interface module.
    ///
    /// - Parameter binary: The path of the binary interface, which is moved.
    func store(_ text: InterfaceText, of module: String, binary: String) throws(SystemError) {
        let place = place(of: text)
        try Self.write(text, of: module, into: place)
        try Files.rename(binary, to: Path.join(place, "\(module).swiftmodule"))
    }

    /// Removes the interfaces that no record names any more. Those of the last hour stay: another build
    /// may be about to name them.
    func removeUnused(at now: Int64) {
        let names = ((try? Folder(folder).entries) ?? []).map(\.name)
        let old = names.filter { name in
            guard let status = try? FileStatus(path: Path.join(folder, name)) else { return false }
            return status.modified < now - Self.grace
        }
        guard !old.isEmpty else { return }
        let used = RecordPlace.records(in: Path.parent(of: folder)).flatMap(\.texts)
        for name in Set(old).subtracting(used) {
            // A folder that cannot be removed now is removed by a later build.
            try? Files.removeTree(Path.join(folder, name))
        }
    }

    /// In nanoseconds.
    private static let grace: Int64 = 3_600_000_000_000
    /// The name of the file that is written anew to say that a folder is in use.
    private static let useMark = "used"

    private static func hasText(of file: InterfaceFile, in folder: String) -> Bool {
        let path = Path.join(folder, "\(file.stamp.module).swiftinterface")
        return (try? Files.read(path, limit: InterfaceSection.sizeLimit)) == file.text.bytes
    }

    private static func isReadable(_ path: String) -> Bool {
        (try? OpenFile(reading: path)) != nil
    }

    private static func write(
        _ text: InterfaceText, of module: String, into folder: String
    ) throws(SystemError) {
        try Files.createFolder(folder, mode: 0o700)
        let path = Path.join(folder, "\(module).swiftinterface")
        // The compiler compares the file's time with that of what it made from it before.
        if (try? Files.read(path, limit: InterfaceSection.sizeLimit)) == text.bytes { return }
        try Files.replace(path, with: text.bytes)
    }

    /// Makes the folder young again if it is about to count as old.
    private static func keep(_ folder: String) throws(SystemError) {
        guard try FileStatus(path: folder).modified < WallClock.now - grace / 2 else { return }
        try Files.replace(Path.join(folder, useMark), with: [])
    }
}
