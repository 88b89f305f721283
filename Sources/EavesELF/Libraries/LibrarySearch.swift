// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// Looks for libraries as the dynamic linker would, and loads none: a library's constructors would
/// run, and nothing runs before all that can be known is known.
///
/// Where it cannot be sure it says nothing. A refusal that is wrong would be worse than one that the
/// dynamic linker words.
package struct LibrarySearch: Sendable {
    /// What looking for all libraries of a module found.
    package struct Outcome: Hashable, Sendable {
        /// In the order in which the dynamic linker would miss them.
        package var missing: [MissingLibrary] = []
        /// The files that would be loaded, with the names that they were found by.
        package var found: [FoundLibrary] = []
        /// Whether every library is either missing or found.
        package var isCertain = true

        package init() {}
    }

    private enum Verdict {
        case found(String)
        case missing, unknown
    }

    /// An object whose libraries are searched.
    private struct Object {
        let needs: LinkedLibraries
        /// `nil` for the module.
        var name: String?
        /// The folders of `DT_RPATH`, its own and those of the objects that led to it.
        var rpath: [String]
        var runpath: [String]?
        /// Whether all of the above could be read.
        var isCertain: Bool

        init(_ needs: LinkedLibraries, name: String? = nil, inherited: [String] = []) {
            self.needs = needs
            self.name = name
            let own = RunPath(needs.rpath, origin: needs.origin)
            let run = RunPath(needs.runpath, origin: needs.origin)
            isCertain = own.isCertain && run.isCertain
            rpath = own.folders + inherited
            runpath = needs.runpath == nil ? nil : run.folders
        }
    }

    private let places: LibraryPlaces
    private let machine: ELFMachine
    private let isLoaded: @Sendable (String) -> Bool

    /// - Parameter isLoaded: Whether the process has a library of that name already.
    package init(
        places: LibraryPlaces, machine: ELFMachine = .current,
        isLoaded: @escaping @Sendable (String) -> Bool
    ) {
        self.places = places
        self.machine = machine
        self.isLoaded = isLoaded
    }

    /// Looks for the libraries of a module, and for those that they need in turn.
    package func run(_ needs: LinkedLibraries) -> Outcome {
        var outcome = Outcome()
        var seen: Set<String> = []
        var objects = [Object(needs)]
        var next = 0
        while next < objects.count {
            let object = objects[next]
            next += 1
            for name in object.needs.needed where seen.insert(name).inserted && !isLoaded(name) {
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
                    let needs = LinkedLibraries(dynamic, origin: Path.parent(of: file))
                    objects.append(Object(needs, name: name, inherited: object.rpath))
                }
            }
        }
        return outcome
    }

    private func find(_ name: String, for object: Object) -> Verdict {
        if name.contains("/") {
            let path = RunPath(name, origin: object.needs.origin)
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
        let hasStrangeCache = cache == nil && (try? FileStatus(path: places.cache)) != nil
        return object.isCertain && !hasStrangeCache ? .missing : .unknown
    }

    /// In a folder, or in those below it for processors that can do more, whether this one can or
    /// not. The linkers before glibc 2.37 know many of those.
    private func find(_ name: String, in folder: String) -> String? {
        let file = Path.join(folder, name)
        if isUsable(file) { return file }
        let capable = Path.join(folder, "glibc-hwcaps")
        let folders = ((try? Folder(capable))?.entries ?? []).map { Path.join(capable, $0.name) }
        return (folders + Self.variants.map { Path.join(folder, $0) }).lazy
            .map { Path.join($0, name) }.first(where: isUsable)
    }

    /// `tls/haswell/avx512_1/x86_64`, and the same with some of its parts left out.
    private static let variants: [String] = {
        let parts = ["tls", "haswell", "xeon_phi", "avx512_1", ELFMachine.current.description]
        return (1..<(1 << parts.count)).map { chosen in
            parts.indices.filter { chosen & 1 << $0 != 0 }.map { parts[$0] }.joined(separator: "/")
        }
    }()

    /// The dynamic linker passes over what is not there and what is for other machines. At a damaged
    /// file it stops, with words of its own.
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
