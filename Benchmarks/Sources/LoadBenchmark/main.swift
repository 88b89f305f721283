// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// Loads modules one after the other and prints the nanoseconds that all of it took.
//
//     LoadBenchmark bare FILE…             with the loader alone, as Benchmarks/Catalog/load.c does
//                                          it in C: dlopen, dlsym, call
//     LoadBenchmark checked FOLDER FILE…   as a launch does it: from a private copy in the folder's
//                                          store, after a check of who can change the file, and
//                                          with a look at its symbols

import EavesDeclaration
import EavesELF
import EavesCatalog
import EavesInterface
import EavesLoader
import EavesRegistry
import EavesTrust

/// In a function, whose variables cost no more than those of a program in C.
func run() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    let isChecked = words.first == "checked"
    let files = words.dropFirst(isChecked ? 2 : 1)
    let copies = ShadowCopy(in: isChecked ? Store(of: words[1], .own) : nil)
    // Kept, as the program by hand does it, and a container.
    var registrations: [[Registration]] = []
    registrations.reserveCapacity(files.count)
    let settings = Settings([:], directory: "/")
    let start = ContinuousClock.now
    for (index, original) in files.enumerated() {
        var file = original
        if isChecked {
            let copy = try copies.make(of: original, id: "module-\(index)", .own)
            copy.keep()
            file = copy.ownPath
            let report = try BinaryReport(of: file)
            precondition(report.hasEntry, "every module has an entry point")
        }
        let registrar = StagedRegistrar(module: "module", settings: settings)
        try Loader.open(file).register(in: registrar) { _ in }
        registrations.append(registrar.registrations)
    }
    let time = ContinuousClock.now - start
    precondition(registrations.allSatisfy { $0.count == 1 }, "each module registers one feature")
    print(time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000)
}

try run()
