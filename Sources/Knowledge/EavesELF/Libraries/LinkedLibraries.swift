// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The libraries that a shared object is linked to, and the folders where it wants the dynamic
/// linker to search for them.
package struct LinkedLibraries: Hashable, Sendable {
    /// The names, in order (`DT_NEEDED`), and those of libraries that the object is a filter for (`DT_FILTER`), which the
    /// dynamic linker loads in the same way.
    package var needed: [String] = []
    /// The names of libraries that are loaded, too, where they are found (`DT_AUXILIARY`).
    package var auxiliaries: [String] = []
    /// `DT_RPATH`, the older way, with colons between the folders, which also hold for the libraries of these libraries.
    package var rpath: String?
    /// `DT_RUNPATH`, which makes the dynamic linker ignore every `DT_RPATH`.
    package var runpath: String?
    /// The folder that `$ORIGIN` stands for; `nil` if it is unknown.
    package var origin: String?

    init() {}

    /// - Parameter origin: The folder that the file is loaded from. A module is loaded by the name of a descriptor of
    ///   its private copy, from `/proc/PID/fd`.
    package init(_ libraries: LinkedLibraries, origin: String?) {
        self = libraries
        self.origin = origin
    }

    package init(text: String, origin: String?) {
        self.origin = origin
        for entry in text.utf8.split(separator: 0) {
            let value = String(decoding: entry.dropFirst(), as: UTF8.self)
            switch entry.first {
            case Kind.needed: needed.append(value)
            case Kind.auxiliary: auxiliaries.append(value)
            case Kind.rpath: rpath = value
            case Kind.runpath: runpath = value
            default: break
            }
        }
    }

    /// Everything but ``origin`` in one text, which is the same for files that are linked alike: entries that
    /// begin with a letter for their kind, with zero bytes between them. No name in an ELF file has a zero byte.
    package var text: String {
        var bytes: [UInt8] = []
        func add(_ kind: UInt8, _ value: String?) {
            guard let value else { return }
            bytes.append(kind)
            bytes += value.utf8
            bytes.append(0)
        }
        for name in needed { add(Kind.needed, name) }
        for name in auxiliaries { add(Kind.auxiliary, name) }
        add(Kind.rpath, rpath)
        add(Kind.runpath, runpath)
        return String(decoding: bytes, as: UTF8.self)
    }

    private enum Kind {
        static let needed = UInt8(ascii: "n")
        static let auxiliary = UInt8(ascii: "a")
        static let rpath = UInt8(ascii: "p")
        static let runpath = UInt8(ascii: "u")
    }

    /// The names and run paths whose meaning depends on the working directory, or that only the dynamic
    /// linker could resolve.
    package var problems: [LibraryPathProblem] {
        let paths = (needed + auxiliaries).filter(Self.isPath).map { LibraryPathProblem.path($0) }
        return paths + RunPath(rpath, origin: origin).problems
            + RunPath(runpath, origin: origin).problems
    }

    /// Whether the dynamic linker takes a name for a path and does not search for it. It replaces
    /// `$ORIGIN` and the like in names, too.
    static func isPath(_ name: String) -> Bool {
        name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "$") }
    }
}

/// Something in a shared object that leaves it open which library the dynamic linker loads.
package enum LibraryPathProblem: Hashable, Sendable {
    /// It names a library by a path, so that the dynamic linker does not search for it.
    case path(String)
    /// A folder of its run path, or an empty entry there, is relative to the working directory.
    case relativeFolder(String)
    /// Only the dynamic linker knows which folder this entry of its run path stands for.
    case unclearFolder(String)
}

/// A list of folders in an ELF file, with colons between them, or that of `LD_LIBRARY_PATH`. `$ORIGIN` stands for the
/// folder of the file, or of the program.
struct RunPath {
    private(set) var folders: [String] = []
    private(set) var problems: [LibraryPathProblem] = []
    /// Whether every folder could be expanded. Some tokens only the dynamic linker can replace.
    private(set) var isCertain = true
    /// Whether folders may be relative, and semicolons stand between them, too.
    private let isVariable: Bool

    /// Splits by bytes, as the dynamic linker does. For Swift, a colon followed by a combining accent is
    /// one character, and not equal to a colon.
    init(_ text: String?, origin: String?, isVariable: Bool = false) {
        self.isVariable = isVariable
        // To the dynamic linker, an empty text is not a list.
        guard let text, !text.isEmpty else { return }
        for bytes in text.utf8.split(
            omittingEmptySubsequences: false,
            whereSeparator: { $0 == UInt8(ascii: ":") || isVariable && $0 == UInt8(ascii: ";") })
        {
            add(String(decoding: bytes, as: UTF8.self), origin: origin)
        }
    }

    private mutating func add(_ entry: String, origin: String?) {
        let rest = Self.part(behindOrigin: entry)
        let tail = rest ?? entry
        // The replacement character stands for bytes that are no text, and the folder cannot be named.
        if tail.utf8.contains(UInt8(ascii: "$")) || tail.unicodeScalars.contains("\u{FFFD}") {
            problems.append(.unclearFolder(entry))
            isCertain = false
        } else if isVariable, entry.isEmpty {
            folders.append(".")
        } else if rest == nil, !isVariable, entry.utf8.first != UInt8(ascii: "/") {
            problems.append(.relativeFolder(entry))
            isCertain = false
        } else if rest == nil {
            folders.append(entry)
        } else if let origin {
            folders.append(origin + tail)
        } else {
            isCertain = false
        }
    }

    /// `/../lib` of `$ORIGIN/../lib`; `nil` if the entry does not begin with that token.
    private static func part(behindOrigin entry: String) -> String? {
        for token in ["$ORIGIN", "${ORIGIN}"] where entry.utf8.starts(with: token.utf8) {
            let rest = entry.utf8.dropFirst(token.utf8.count)
            if rest.isEmpty || rest.first == UInt8(ascii: "/") {
                return String(decoding: rest, as: UTF8.self)
            }
        }
        return nil
    }
}
