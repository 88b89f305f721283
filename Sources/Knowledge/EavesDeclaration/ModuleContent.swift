// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesELF
package import EavesSystem

/// The content of a module's file, whichever host asks: header, build tag and note. As long as the file
/// is the same, so is its content.
package struct ModuleContent: Hashable, Sendable {
    /// `nil` if the path leads to no regular file.
    package private(set) var status: FileStatus?
    /// The machine; `nil` if the file is not a whole shared object.
    package private(set) var machine: ELFMachine?
    /// How the module was built. Also known of a module whose declaration this host cannot read.
    package private(set) var tag: BuildTag?
    package private(set) var note: ModuleNote?
    /// The libraries that the file is linked to, as ``LinkedLibraries/text`` has them; `nil` if they cannot be read.
    package private(set) var libraries: String?
    /// The protocols of interface modules that the binary declares or implements. Empty if they cannot be read: a
    /// launch reads them once more, and tells why.
    package private(set) var protocols = ModuleProtocols()
    /// The reason why there is no ``note``.
    private var problem: ContentProblem?

    /// Reads the header and the note of a file. Runs no code of it.
    package init(_ path: String) {
        self.init { () throws(ELFError) in try ELFSource(path) }
    }

    /// Reads the header and the note of a file that a folder lists.
    package init(_ entry: Folder.Entry, in folder: borrowing OpenFolder) {
        self.init { () throws(ELFError) in try ELFSource(entry, in: folder) }
    }

    /// The content of a file that was read before.
    package init(
        status: FileStatus, machine: ELFMachine, note: ModuleNote, protocols: ModuleProtocols,
        libraries: String?
    ) {
        self.libraries = libraries
        self.status = status
        self.machine = machine
        self.note = note
        self.protocols = protocols
        tag = note.tag
    }

    private init(_ open: () throws(ELFError) -> ELFSource) {
        do throws(ELFError) {
            let source = try open()
            status = source.status
            let file = try ELFFile(source)
            machine = file.header.machine
            read(try file.notes())
            // A launch, which needs more of the section, says what is wrong with it.
            if let declaration = note?.declaration, let dynamic = try? file.dynamicSection() {
                libraries = dynamic.libraries.text
                protocols = (try? ModuleProtocols(file, dynamic, declaration)) ?? ModuleProtocols()
            }
        } catch {
            problem = .binary(error)
        }
    }

    private mutating func read(_ notes: [ELFNote]) {
        do throws(NoteError) {
            let document = try NoteDocument(among: notes)
            tag = try document.tag()
            note = try document.note()
        } catch {
            problem = .note(error)
        }
    }

    /// The reason why a host cannot load the module: first that it was built for another host, then
    /// that it cannot be read. `nil` if the host can load it.
    ///
    /// The order matters: a module for another host may well be unreadable for this one.
    package func problem(in host: HostProfile) -> ContentProblem? {
        if let machine, machine != host.machine {
            return .incompatible(.machine(built: machine, host: host.machine))
        }
        return tag.flatMap(host.compatibilityProblem).map(ContentProblem.incompatible) ?? problem
    }

    /// Whether a cache may keep the content: the file is a module, and no change of it can go unnoticed.
    ///
    /// - Parameter start: A time before the file was read, in nanoseconds since 1970.
    package func canBeKept(since start: Int64) -> Bool {
        guard machine != nil, note != nil, let status else { return false }
        return FileIdentity(status).isSettled(at: start)
    }
}

/// The reason why the content of a file makes it no module for a host.
package enum ContentProblem: Error, Hashable, Sendable {
    case binary(ELFError)
    /// The file is a shared object and does not say that it is a module.
    case note(NoteError)
    case incompatible(CompatibilityProblem)
}
