// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

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
            rpath = own.folders + inherited
            runpath = libraries.runpath == nil ? nil : run.folders
        }
    }

    private let places: LibraryPlaces
    private let machine: ELFMachine
    private let isLoaded: @Sendable (String) -> Bool

    /// - Parameters:
    ///   - places: The folders to search, besides those that an object names itself.
    ///   - machine: The search passes over libraries for other machines.
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
            for name in object.libraries.needed where seen.insert(name).inserted && !isLoaded(name)
            {
                switch find(name, for: object) {
                case .missing:
                    outcome.missing.append(MissingLibrary(name: name, neededBy: object.name))
                case .unknown:
                    outcome.isCertain = false
                case .found(let file):
                    outcome.found.append(FoundLibrary(name: name, file: file))
                    guard let dynamic = try? ELFFile(file).dynamicSection() else {
                        outcome.isCertain = false
                        continue
                    }
                    if let soname = dynamic.soname { seen.insert(soname) }
                    let libraries = LinkedLibraries(dynamic, origin: Path.parent(of: file))
                    objects.append(Object(libraries, name: name, inherited: object.rpath))
                }
            }
        }
        return outcome
    }

    private func find(_ name: String, for object: Object) -> Verdict {
        if name.contains("/") {
            let path = RunPath(name, origin: object.libraries.origin)
            guard path.isCertain, let file = path.folders.first else { return .unknown }
            return isUsable(file) ? .found(file) : .missing
        }
        var folders = object.runpath == nil ? object.rpath + places.host : []
        folders += places.environment + (object.runpath ?? [])
        for folder in folders {
            if let file = find(name, in: folder) { return .found(file) }
        }
        let cache = LibraryCache(places.cache)
        if let file = cache?.files(of: name).first(where: isUsable) { return .found(file) }
        for folder in places.system {
            if let file = find(name, in: folder) { return .found(file) }
        }
        // A cache that is there but in an unknown format may list the library.
        let hasUnknownCache = cache == nil && (try? FileStatus(path: places.cache)) != nil
        return object.isCertain && !hasUnknownCache ? .missing : .unknown
    }

    /// Looks into a folder, and into the folders below it for processors with more instructions,
    /// without asking whether this processor has them. Before glibc 2.37, the dynamic linker knew
    /// many such folders.
    private func find(_ name: String, in folder: String) -> String? {
        let file = Path.join(folder, name)
        if isUsable(file) { return file }
        let capable = Path.join(folder, "glibc-hwcaps")
        let folders = ((try? Folder(capable))?.entries ?? []).map { Path.join(capable, $0.name) }
        return (folders + Self.variants.map { Path.join(folder, $0) }).lazy
            .map { Path.join($0, name) }.first(where: isUsable)
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

/// The places where the dynamic linker of this process looks for libraries, besides the folders that
/// an object names itself.
package struct LibraryPlaces: Hashable, Sendable {
    /// The host's own run path.
    package var host: [String]
    /// `LD_LIBRARY_PATH`, as it was when the process started.
    package var environment: [String]
    /// The folders of the system.
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
}

/// A library that would be loaded.
package struct FoundLibrary: Hashable, Sendable {
    /// The name in the object that is linked to it.
    package let name: String
    package let file: String
}

/// A library that the dynamic linker would not find.
package struct MissingLibrary: Hashable, Sendable {
    package let name: String
    /// The library that is linked to it; `nil` for the module itself.
    package let neededBy: String?

    package init(name: String, neededBy: String? = nil) {
        self.name = name
        self.neededBy = neededBy
    }
}
