// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCompiler
import EavesProcess
import EavesSystem
import EavesTrust

/// The way in which the sources of a module become one shared object.
enum BuildMethod {
    /// Sources in Swift, with sources in C and C++ that are compiled before them, if there are any.
    case swift(EntryPoint, CSources)
    /// Sources in C and C++ alone.
    case c(CSources)
    /// A package, which SwiftPM builds.
    case package(PackageBuild, EntryPoint)
    /// A crate, which Cargo builds.
    case crate(CrateBuild)

    /// How the module gets its entry point; `nil` if only the linked file shows whether it has one.
    var entryPoint: EntryPoint? {
        switch self {
        case .swift(let entryPoint, _), .package(_, let entryPoint): entryPoint
        case .c, .crate: nil
        }
    }

    /// Whether the module may use the interface.
    var hasSwift: Bool {
        switch self {
        case .swift, .package: true
        case .c, .crate: false
        }
    }

    /// Whether all output of the compilers waits until the module is done, since the error may take its
    /// place: a header that is missing is told in one line.
    var holdsOutput: Bool {
        switch self {
        case .swift(_, let sources): !sources.files.isEmpty || !sources.moduleMaps.isEmpty
        case .c: true
        case .package, .crate: false
        }
    }

    /// Whether several compilers that report the same mistake are run for the same source.
    var repeatsMessages: Bool {
        if case .package = self { true } else { false }
    }

    /// The build program that compiles the module, and all that it depends on; `nil` for a compiler.
    var program: String? {
        switch self {
        case .package: "swift build"
        case .crate: "cargo build"
        case .swift, .c: nil
        }
    }

    /// The folder with what another build program has compiled, and takes again; `nil` if there is none.
    var scratch: String? {
        switch self {
        case .package(let package, _): package.scratch
        case .crate(let crate): crate.scratch
        case .swift, .c: nil
        }
    }

    /// The options that make a difference to the module.
    func flags(_ configuration: BuildConfiguration) -> [String] {
        switch self {
        case .swift(_, let sources):
            CompileCommand.flags(configuration)
                + (sources.files.isEmpty ? [] : CSources.flags(configuration))
        case .c: CSources.flags(configuration)
        case .package(let package, _): package.flags(configuration)
        case .crate: CrateBuild.flags(configuration)
        }
    }
}
