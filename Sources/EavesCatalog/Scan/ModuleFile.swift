// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesELF
package import EavesSystem

/// What the file of a module says, whichever host asks: as long as the file is the same, so is this.
package struct ModuleFile: Hashable, Sendable {
    /// `nil` if there is no regular file.
    package private(set) var status: FileStatus?
    /// `nil` if it is no whole shared object.
    package private(set) var machine: ELFMachine?
    /// How it was built. Also known of a module whose declaration this host cannot read.
    package private(set) var tag: BuildTag?
    package private(set) var note: ModuleNote?
    /// Why there is no ``note``.
    private var problem: CatalogProblem?

    /// Reads the header and the note of a file. No code of it runs.
    ///
    package init(_ path: String) {
        self.init { () throws(ELFProblem) in try ELFSource(path) }
    }

    /// Reads the header and the note of a file that a folder's listing has.
    init(_ entry: Folder.Entry, in folder: borrowing OpenFolder) {
        self.init { () throws(ELFProblem) in try ELFSource(entry, in: folder) }
    }

    /// A file that was read before.
    init(status: FileStatus, machine: ELFMachine, note: ModuleNote) {
        self.status = status
        self.machine = machine
        self.note = note
        tag = note.tag
    }

    private init(_ open: () throws(ELFProblem) -> ELFSource) {
        do throws(CatalogProblem) {
            try read(open)
        } catch {
            problem = error
        }
    }

    private mutating func read(
        _ open: () throws(ELFProblem) -> ELFSource
    ) throws(CatalogProblem) {
        let notes: [ELFNote]
        do throws(ELFProblem) {
            let source = try open()
            status = source.status
            let file = try ELFFile(source)
            machine = file.header.machine
            notes = try file.notes()
        } catch {
            throw .binary(error)
        }
        if let first = notes.first(where: ModuleNote.isPackageNote),
            let read = NoteScanner.note(first.content)
        {
            (tag, note) = (read.tag, read)
            return
        }
        do throws(NoteProblem) {
            let document = try NoteDocument(among: notes)
            tag = try document.tag()
            note = try document.note()
        } catch {
            throw .note(error)
        }
    }

    /// What keeps the module out of a host: that it does not fit, else that it cannot be read.
    /// `nil` if nothing does.
    ///
    /// In this order, because what is built for another host may well be unreadable for this one.
    package func problem(in host: HostProfile) -> CatalogProblem? {
        if let machine, machine != host.machine {
            return .incompatible(.machine(built: machine, host: host.machine))
        }
        return tag.flatMap(host.compatibilityProblem).map(CatalogProblem.incompatible) ?? problem
    }
}
