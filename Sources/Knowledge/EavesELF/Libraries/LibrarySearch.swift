// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// Looks for libraries as the dynamic linker would, without loading any: loading a library runs its
/// constructors, and nothing may run before every check that reads files has passed.
///
/// Where the search cannot be certain, it reports nothing as missing. A wrong refusal would be worse
/// than leaving the error message to the dynamic linker.
package struct LibrarySearch: Sendable {
    /// The result of a search for all libraries of a module.
    package struct Outcome: Hashable, Sendable {
        /// In the order in which the dynamic linker would miss them.
        package var missing: [MissingLibrary] = []
        /// The files that would be loaded.
        package var found: [FoundLibrary] = []
        /// The files that may be loaded, and the folders that are searched before.
        package var places: [LibraryPlace] = []
        /// Whether every library is either missing or found.
        package var isCertain = true

        package init() {}
    }

    private enum Verdict {
        case found(String)
        case missing, unknown
    }

    /// An object whose libraries the search looks for.
    private struct Object {
        let libraries: LinkedLibraries
        /// `nil` for the module.
        var name: String?
        /// The folders of `DT_RPATH`: the object's own and those of the objects that led to it.
        var rpath: [String]
        var runpath: [String]?
        /// Whether this process can expand every folder of both.
        var isCertain: Bool

        init(_ libraries: LinkedLibraries, name: String? = nil, inherited: [String] = []) {
            self.libraries = libraries
            self.name = name
            let own = RunPath(libraries.rpath, origin: libraries.origin)
            let run = RunPath(libraries.runpath, origin: libraries.origin)
            isCertain = own.isCertain && run.isCertain
            // A RUNPATH makes the dynamic linker ignore the RPATH of the same object.
            rpath = (libraries.runpath == nil ? own.folders : []) + inherited
            runpath = libraries.runpath == nil ? nil : run.folders
        }
    }

    private let places: LibraryPlaces
    private let machine: ELFMachine
    private let isLoaded: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - places: The folders to search, besides those that an object names itself.
    ///   - isLoaded: Whether the process already has a library of this name.
    package init(
        places: LibraryPlaces, machine: ELFMachine = .current,
        isLoaded: @escaping @Sendable (String) -> Bool
    ) {
        self.places = places
        self.machine = machine
        self.isLoaded = isLoaded
    }

    /// Looks for the libraries of a module, and for those that they are linked to in turn.
    package func run(_ libraries: LinkedLibraries) -> Outcome {
        var outcome = Outcome()
        var seen: Set<String> = []
        var objects = [Object(libraries)]
        var next = 0
        while next < objects.count {
            let object = objects[next]
            next += 1
            let libraries = object.libraries
            for name in libraries.needed + libraries.auxiliaries
            where seen.insert(name).inserted && !isLoaded(name) {
                switch find(name, for: object, &outcome.places) {
                case .missing where libraries.needed.contains(name):
                    outcome.missing.append(MissingLibrary(name: name, neededBy: object.name))
                case .missing:
                    break
                case .unknown:
                    outcome.isCertain = false
                case .found(let file):
                    let library = Self.look(at: file)
                    outcome.found.append(
                        FoundLibrary(
                            name: name, file: file, problems: library?.needs.problems ?? [],
                            wantsExecutableStack: library?.wantsExecutableStack ?? false))
                    guard let library else {
                        outcome.isCertain = false
                        continue
                    }
                    if let soname = library.soname { seen.insert(soname) }
                    objects.append(Object(library.needs, name: name, inherited: object.rpath))
                }
            }
        }
        return outcome
    }

    /// Reads the parts of a library that the search needs; `nil` if it cannot be read.
    private static func look(
        at file: String
    ) -> (soname: String?, needs: LinkedLibraries, wantsExecutableStack: Bool)? {
        guard let elf = try? ELFFile(file), let dynamic = try? elf.dynamicSection() else {
            return nil
        }
        let needs = LinkedLibraries(dynamic.libraries, origin: Path.parent(of: file))
        return (dynamic.soname, needs, elf.wantsExecutableStack)
    }

    /// - Parameter seen: A function that gets the files that may be loaded under this name, and the folders that are
    ///   searched before.
    private func find(
        _ name: String, for object: Object, _ seen: inout [LibraryPlace]
    ) -> Verdict {
        func found(_ files: [String]) -> Verdict? {
            seen += files.map { LibraryPlace(library: name, path: $0, isFolder: false) }
            return files.first.map { .found($0) }
        }
        func first(of folders: [String]) -> Verdict? {
            for folder in folders {
                if let verdict = found(search(name, folder, &seen)) { return verdict }
            }
            return nil
        }
        if LinkedLibraries.isPath(name) {
            let path = RunPath(name, origin: object.libraries.origin)
            guard path.isCertain, let file = path.folders.first else { return .unknown }
            return found([file].filter(isUsable)) ?? .missing
        }
        let inherited = object.runpath == nil ? object.rpath + places.host : []
        // Only an entry of the environment can be relative.
        let environment = places.environment.map { Path.join(Path.current, $0) }
        if let verdict = first(of: inherited + environment + (object.runpath ?? [])) {
            return verdict
        }
        let cache = LibraryCache(places.cache)
        if let verdict = found(cache?.files(of: name).filter(isUsable) ?? []) { return verdict }
        if let verdict = first(of: places.system) { return verdict }
        // A cache that is there but in an unknown format may list the library.
        let hasUnknownCache = cache == nil && (try? FileStatus(path: places.cache)) != nil
        return object.isCertain && !hasUnknownCache ? .missing : .unknown
    }

    /// Looks for a name in a folder, and in the folders below it for processors with more instructions,
    /// without asking whether this processor has them. Notes that the search has gone through them.
    private func search(
        _ name: String, _ folder: String, _ seen: inout [LibraryPlace]
    ) -> [String] {
        let folders = [folder] + betterFolders(in: folder)
        seen += folders.map { LibraryPlace(library: name, path: $0, isFolder: true) }
        return folders.map { Path.join($0, name) }.filter(isUsable)
    }

    /// Before glibc 2.37, the dynamic linker knew many such folders.
    private func betterFolders(in folder: String) -> [String] {
        let capable = Path.join(folder, "glibc-hwcaps")
        let folders = Folder.names(in: capable).map { Path.join(capable, $0) }
        return (folders + Self.variants.map { Path.join(folder, $0) }).filter {
            (try? FileStatus(path: $0))?.kind == .directory
        }
    }

    /// `tls/haswell/avx512_1/x86_64`, and the same path without some of its parts.
    private static let variants: [String] = {
        let parts = ["tls", "haswell", "xeon_phi", "avx512_1", ELFMachine.current.description]
        return (1..<(1 << parts.count)).map { chosen in
            parts.indices.filter { chosen & 1 << $0 != 0 }.map { parts[$0] }.joined(separator: "/")
        }
    }()

    /// Whether the dynamic linker would take a file. It passes over missing files and over those for
    /// other machines. At a damaged file it stops, with a message of its own.
    private func isUsable(_ file: String) -> Bool {
        do throws(ELFError) {
            return try ELFFile(file).header.machine == machine
        } catch {
            switch error {
            case .unreadable(let error): return !error.errno.meansMissing
            case .wrongClass, .wrongByteOrder: return false
            default: return true
            }
        }
    }
}

/// A library that would be loaded.
package struct FoundLibrary: Hashable, Sendable {
    /// The name in the object that is linked to it.
    package let name: String
    package let file: String
    /// The problems with what it says about its own libraries.
    package let problems: [LibraryPathProblem]
    /// Whether loading it makes the stacks of the process executable.
    package let wantsExecutableStack: Bool
}

/// A file that the dynamic linker may load for a library, or a folder where it looks for one before. A user
/// who can write it decides which code is loaded.
package struct LibraryPlace: Hashable, Sendable {
    package let library: String
    package let path: String
    /// Whether it is a folder, which need not exist.
    package let isFolder: Bool
}

/// A library that the dynamic linker would not find.
package struct MissingLibrary: Hashable, Sendable {
    package let name: String
    /// The library that is linked to it; `nil` for the module itself.
    package var neededBy: String?
}

/// The list in `/etc/ld.so.cache`: names of libraries, and the files that `ldconfig` found for them.
///
/// The reader checks every offset in it. It gives `nil` for a file in another format.
package struct LibraryCache: Sendable {
    private static let oldMagic = Array("ld.so-1.7.0\0".utf8)
    private static let magic = Array("glibc-ld.so.cache1.1".utf8)
    private static let (headerSize, entrySize) = (48, 24)
    private static let maximumSize = 16 << 20

    private let bytes: ArraySlice<UInt8>
    private let count: Int

    /// Reads the list; `nil` if there is no file or if it has another format.
    ///
    /// - Parameter path: Nearly always `/etc/ld.so.cache`.
    package init?(_ path: String) {
        guard let bytes = try? Files.read(path, limit: Self.maximumSize) else { return nil }
        self.init(bytes)
    }

    package init?(_ bytes: [UInt8]) {
        var start = 0
        // A table for older dynamic linkers may come first.
        if bytes.starts(with: Self.oldMagic), bytes.count >= 16 {
            let old = ELFBytes(bytes[12..<16]).integer(at: 0, as: UInt32.self)
            start = (16 + 12 * Int(old) + 7) / 8 * 8
        }
        let cache = bytes.dropFirst(start)
        guard cache.starts(with: Self.magic), cache.count >= Self.headerSize else { return nil }
        count = Int(ELFBytes(cache).integer(at: 20, as: UInt32.self))
        guard count <= (cache.count - Self.headerSize) / Self.entrySize else { return nil }
        self.bytes = cache
    }

    /// The files that `ldconfig` found for a name, for any machine.
    package func files(of name: String) -> [String] {
        let wanted = Array(name.utf8) + [0]
        let fields = ELFBytes(bytes)
        return entries.compactMap { entry in
            let key = Int(fields.integer(at: entry + 4, as: UInt32.self))
            guard bytes.dropFirst(key).starts(with: wanted) else { return nil }
            return text(fields.integer(at: entry + 8, as: UInt32.self))
        }
    }

    /// The files that `ldconfig` found for this machine, by their names: of several, the linker takes the first.
    package var libraries: [String: String] {
        let fields = ELFBytes(bytes)
        let found = entries.compactMap { entry -> (String, String)? in
            guard
                fields.integer(at: entry, as: UInt32.self) & 0xff00 == Self.architecture,
                let name = text(fields.integer(at: entry + 4, as: UInt32.self)),
                let path = text(fields.integer(at: entry + 8, as: UInt32.self))
            else { return nil }
            return (name, path)
        }
        return Dictionary(found) { first, _ in first }
    }

    /// The architecture's part of an entry's flags, as `sysdeps/generic/ldconfig.h` of glibc has it.
    private static var architecture: UInt32 {
        switch ELFMachine.current {
        case .x86_64: 0x0300
        case .aarch64: 0x0a00
        default: 0
        }
    }

    private var entries: some Sequence<Int> {
        (0..<count).map { Self.headerSize + $0 * Self.entrySize }
    }

    private func text(_ offset: UInt32) -> String? {
        let rest = bytes.dropFirst(Int(offset))
        return rest.firstIndex(of: 0).map { String(decoding: rest[..<$0], as: UTF8.self) }
    }
}

/// The places where the dynamic linker of this process looks for libraries, besides the folders that
/// an object names itself.
package struct LibraryPlaces: Hashable, Sendable {
    /// The run path of the program, which also holds for what a module is linked to.
    package var host: [String]
    /// `LD_LIBRARY_PATH`, as it was when the process started. Searched before the list of `ldconfig`.
    package var environment: [String]
    /// The folders of the system. Searched after the list of `ldconfig`.
    package var system: [String]
    /// The path of the list that `ldconfig` writes.
    package var cache: String

    package init(
        host: [String] = [], environment: [String] = [], system: [String],
        cache: String = "/etc/ld.so.cache"
    ) {
        self.host = host
        self.environment = environment
        self.system = system
        self.cache = cache
    }

    /// Tells the folders that the dynamic linker lists for the program apart. The linker itself does not: glibc
    /// gives all of them the same flags. So the folders of the system are those that neither the program's file
    /// nor the environment names.
    ///
    /// Where that is not certain, no folder counts as the system's: the others are searched first, and another
    /// user's folder must not be taken for one that comes last.
    ///
    /// - Parameters:
    ///   - listed: The folders that the dynamic linker searches for the program, in its order.
    ///   - program: The libraries that the program's file names; `nil` if they are unknown.
    ///   - environment: The environment that the process started with; `nil` if that is unknown.
    package init(listed: [String], program: LinkedLibraries?, environment: Environment?) {
        var rest = listed
        func take(_ folders: [String]) {
            var taken: Set<String> = []
            for folder in folders where taken.insert(folder).inserted {
                if let place = rest.firstIndex(of: folder) { rest.remove(at: place) }
            }
        }
        let rpath = RunPath(program?.rpath, origin: program?.origin)
        let runpath = RunPath(program?.runpath, origin: program?.origin)
        // A RUNPATH makes the linker ignore the RPATH, and does not hold for libraries of modules.
        let host = program?.runpath == nil ? rpath.folders.map(Self.listed) : []
        let variable = RunPath(
            environment?["LD_LIBRARY_PATH"], origin: program?.origin, isVariable: true)
        let isCertain =
            program != nil && environment != nil && rpath.isCertain && runpath.isCertain
            && variable.isCertain
        let named = isCertain ? variable.folders.map(Self.listed) : []
        take(host + named)
        take(runpath.folders.map(Self.listed))
        self.init(
            host: host, environment: isCertain ? named : rest,
            system: isCertain ? rest : [])
    }

    /// A folder as the dynamic linker lists it, without slashes at its end.
    private static func listed(_ folder: String) -> String {
        var bytes = folder.utf8[...]
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes = bytes.dropLast() }
        return String(Substring(bytes))
    }
}
