// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
import EavesCompiler
import EavesDeclaration
import EavesSystem
import EavesTrust

/// The interfaces that modules in one folder are compiled against, as the compiler wants them: one
/// folder for each text, named by its digest, next to the records of builds.
///
/// It holds the textual interface out of an interface module's `.so` and, where that was built here, the
/// binary one as well, which the compiler reads without compiling the text first.
struct InterfaceCache: Sendable {
    static let folderName = "interfaces"
    /// The mode of the folders: only the user who builds needs to see them.
    private static let mode: UInt32 = 0o700

    private let records: RecordPlace

    /// - Parameters:
    ///   - output: A file next to which the records are.
    ///   - trust: The rule for who may change the folder.
    init(nextTo output: String, _ trust: TrustCheck) {
        records = RecordPlace(of: output, trust)
    }

    private func place(of text: InterfaceText) -> String {
        Path.join(Path.join(records.folder, Self.folderName), text.digest)
    }

    /// Opens the folder of a text, and creates it if it is missing.
    private func make(_ text: InterfaceText) throws(PlaceError) -> OpenFolder {
        try records.make()
            .makeFolder(Self.folderName, mode: Self.mode, checkedBy: records.trust)
            .makeFolder(text.digest, mode: Self.mode, checkedBy: records.trust)
    }

    /// The folders to search for interfaces, without those that the compiler finds in the SDK.
    static func searchFolders(
        for files: [InterfaceFile], _ request: BuildRequest
    ) throws(BuildError) -> [String] {
        var folders: [String] = []
        for file in files where !file.isLinked {
            let folder = try searchFolder(for: file, request)
            // The headers of one module in C include those of another as if they stood in one folder.
            folders += [folder] + file.text.modulesInC.map { Path.join(folder, $0) }
        }
        return folders
    }

    /// The folder to search for an interface, which is created if it does not exist.
    private static func searchFolder(
        for file: InterfaceFile, _ request: BuildRequest
    ) throws(BuildError) -> String {
        let caches = [request.output, file.path].map { InterfaceCache(nextTo: $0, request.trust) }
        // The one with the binary interface is read faster.
        let built = caches.first { cache in
            let place = cache.place(of: file.text)
            let binary = Path.join(place, "\(file.stamp.module).swiftmodule")
            return (try? OpenFile(reading: binary)) != nil && hasText(of: file, in: place)
        }
        let cache = built ?? caches[0]
        do throws(PlaceError) {
            let folder = try cache.make(file.text)
            if built == nil { try cache.write(file.text, of: file.stamp.module, into: folder) }
            try keep(folder)
        } catch {
            throw BuildError(request.id, .place(error))
        }
        return cache.place(of: file.text)
    }

    /// Keeps the interfaces that the compiler made of an interface module.
    ///
    /// - Parameter binary: The path of the binary interface, which is moved.
    func store(_ text: InterfaceText, of module: String, binary: String) throws(PlaceError) {
        let folder = try make(text)
        try write(text, of: module, into: folder)
        try PlaceError.wrapping(try folder.take(binary, as: "\(module).swiftmodule"))
    }

    /// The name of the file that is written anew to say that a folder is in use.
    private static let useMark = "used"

    private static func hasText(of file: InterfaceFile, in folder: String) -> Bool {
        let path = Path.join(folder, "\(file.stamp.module).swiftinterface")
        return (try? Files.read(path, limit: InterfaceSection.sizeLimit)) == file.text.bytes
            && file.text.companions.allSatisfy { companion in
                let other = Path.join(folder, companion.name)
                let found = try? Files.read(other, limit: InterfaceSection.sizeLimit)
                return found == companion.bytes
            }
    }

    private func write(
        _ text: InterfaceText, of module: String, into folder: borrowing OpenFolder
    ) throws(PlaceError) {
        try write(text.bytes, to: module + InterfaceText.suffix, in: folder)
        for companion in text.companions {
            try write(companion.bytes, to: companion.name, in: folder)
        }
    }

    /// - Parameter name: May lead into folders, which are made.
    private func write(
        _ bytes: [UInt8], to name: String, in folder: borrowing OpenFolder
    ) throws(PlaceError) {
        if let slash = name.firstIndex(of: "/") {
            let inner = try folder.makeFolder(
                String(name[..<slash]), mode: Self.mode, checkedBy: records.trust)
            try write(bytes, to: String(name[slash...].dropFirst()), in: inner)
            return
        }
        // The compiler compares the file's time with that of what it made from it before.
        if (try? folder.bytes(of: name)) == bytes { return }
        try PlaceError.wrapping(try folder.replace(name, with: bytes, mode: 0o644))
    }

    /// Makes the folder young again if it is about to count as old.
    private static func keep(_ folder: borrowing OpenFolder) throws(PlaceError) {
        let status = try PlaceError.wrapping(try folder.status())
        guard status.modified < WallClock.now - RecordPlace.grace / 2 else { return }
        try PlaceError.wrapping(try folder.replace(useMark, with: [], mode: 0o644))
    }
}
