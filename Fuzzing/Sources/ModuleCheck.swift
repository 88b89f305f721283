// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesCatalog
import EavesDiagnostics
import EavesJSON

/// Reads bytes as a module's file, as a host does before it runs the module.
enum ModuleCheck {
    private static let file = InputFile()
    private static let profile = HostProfile(
        abi: 1, interface: InterfaceVersion(major: 1, minor: 3), compiler: "6.3")
    private static let search = LibrarySearch(places: LibraryPlaces(system: [])) { _ in false }

    static func run(_ bytes: [UInt8]) {
        file.replace(with: bytes)
        let content = ModuleContent(file.path)
        let problem = content.problem(in: profile)
        precondition(problem != nil || content.note != nil, "a file without a note is accepted")
        precondition(content.note == nil || content.machine != nil, "a note without an ELF file")

        let entry = Catalog.inspect(file: file.path, checksTrust: false, profile: profile)
        let expected = problem.map { CatalogProblem($0) }
        precondition(entry.problem == expected, "two scans of one file differ")
        precondition((entry.state == .ready) == entry.diagnostics.isEmpty)
        MessageCheck.run(entry.diagnostics)
        if let elf = try? ELFFile(file.path), let dynamic = try? elf.dynamicSection() {
            _ = try? elf.swiftConformances(of: dynamic, toProtocolsWith: ["$s"])
            _ = try? elf.swiftProtocols(of: dynamic, startingWith: ["$s"])
        }
        if let report = try? BinaryReport(of: file.path) {
            precondition(report.machine == content.machine)
            _ = report.hasEntry
            let needs = LinkedLibraries(report.libraries, origin: "/nowhere")
            precondition(search.run(needs).missing.count <= 1 << 16)
            _ = report.definedNames().count + report.undefinedNames(startingWith: "$s").count
        }
    }
}

/// Reads a text as the JSON text of a note. Writing it and reading it again must not change it.
enum NoteCheck {
    static func run(_ bytes: [UInt8]) {
        do throws(NoteError) {
            let note = try NoteDocument(bytes).note()
            let written = Array(note.json.text(pretty: false).utf8)
            guard let again = try? NoteDocument(written).note() else {
                preconditionFailure("cannot read back \(note.json.text(pretty: false))")
            }
            precondition(again == note)
        } catch {
            if case .declaration(let problems) = error { precondition(!problems.isEmpty) }
        }
    }
}

/// Reads a text as `module.json`. Writing it and reading it again must not change it.
enum DeclarationCheck {
    static func run(_ bytes: [UInt8]) {
        do throws(DeclarationError) {
            let declaration = try SourceDeclaration(bytes, path: "module.json").declaration
            let written = Array(declaration.json.text(pretty: true).utf8)
            guard let again = try? SourceDeclaration(written, path: "again.json").declaration else {
                preconditionFailure("cannot read back \(declaration.json.text(pretty: false))")
            }
            precondition(again == declaration)
        } catch {
            precondition(!error.problems.isEmpty)
            MessageCheck.run(error.diagnostics)
        }
    }
}
