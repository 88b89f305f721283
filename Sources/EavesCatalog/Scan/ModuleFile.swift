// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

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
    /// - Parameter isRegular: Whether a directory listing called it a file; else it is looked at
    ///   before it is opened.
    package init(_ path: String, isRegular: Bool = false) {
        do throws(CatalogProblem) {
            try read(path, isRegular: isRegular)
        } catch {
            problem = error
        }
    }

    private mutating func read(_ path: String, isRegular: Bool) throws(CatalogProblem) {
        let notes: [ELFNote]
        do throws(ELFProblem) {
            let source = try ELFSource(path, isRegular: isRegular)
            status = source.status
            let file = try ELFFile(source)
            machine = file.header.machine
            notes = try file.notes()
        } catch {
            throw .binary(error)
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
            return .misfit(.machine(built: machine, host: host.machine))
        }
        return tag.flatMap(host.misfit).map(CatalogProblem.misfit) ?? problem
    }
}
