// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

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
        let variable = SearchVariable(environment?["LD_LIBRARY_PATH"], origin: program?.origin)
        let isCertain =
            program != nil && environment != nil && rpath.isCertain && runpath.isCertain
            && variable.isCertain
        take(host + (isCertain ? variable.folders : []))
        take(runpath.folders.map(Self.listed))
        self.init(
            host: host, environment: isCertain ? variable.folders : rest,
            system: isCertain ? rest : [])
    }

    /// A folder as the dynamic linker lists it, without slashes at its end.
    fileprivate static func listed(_ folder: String) -> String {
        var bytes = folder.utf8[...]
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes = bytes.dropLast() }
        return String(Substring(bytes))
    }
}

/// The folders of `LD_LIBRARY_PATH`. Unlike in a run path, they may be relative, and semicolons stand between them,
/// too.
private struct SearchVariable {
    private(set) var folders: [String] = []
    /// Whether every folder could be expanded.
    private(set) var isCertain = true

    init(_ text: String?, origin: String?) {
        // To the dynamic linker, an empty text is not a list.
        guard let text, !text.isEmpty else { return }
        for bytes in text.utf8.split(
            omittingEmptySubsequences: false,
            whereSeparator: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") })
        {
            let entry = String(decoding: bytes, as: UTF8.self)
            // Names without a token are the same in both kinds of lists.
            let expanded = RunPath(entry, origin: origin)
            if let folder = expanded.folders.first {
                folders.append(LibraryPlaces.listed(folder))
            } else if case .relativeFolder? = expanded.problems.first {
                folders.append(LibraryPlaces.listed(entry))
            } else if entry.isEmpty {
                folders.append(".")
            } else {
                isCertain = false
            }
        }
    }
}
