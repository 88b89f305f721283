// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesCatalog
import EavesDiagnostics

/// Reads bytes as the file of a module, as far as a host does without running it.
enum ModuleCheck {
    private static let file = InputFile()
    private static let profile = HostProfile(
        abi: 1, interface: InterfaceVersion(major: 1, minor: 3), compiler: "6.3")
    private static let search = LibrarySearch(places: LibraryPlaces(system: [])) { _ in false }

    static func run(_ bytes: [UInt8]) {
        file.replace(with: bytes)
        let content = ModuleFile(file.path)
        let problem = content.problem(in: profile)
        precondition(problem != nil || content.note != nil, "it fits, and nobody knows what it is")
        precondition(content.note == nil || content.machine != nil, "a note without a file")

        let entry = Catalog.inspect(file: file.path, checksTrust: false, profile: profile)
        precondition(entry.problem == problem, "two looks at one file differ")
        precondition((entry.state == .ready) == entry.diagnostics.isEmpty)
        Words.check(entry.diagnostics)
        if let report = try? BinaryReport(of: file.path) {
            precondition(report.machine == content.machine)
            _ = report.hasEntry
            let needs = LinkedLibraries(report, origin: "/nowhere")
            precondition(search.run(needs).missing.count <= 1 << 16)
            _ = report.definedNames().count + report.undefinedNames(startingWith: "$s").count
        }
    }
}
