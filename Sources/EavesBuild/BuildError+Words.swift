// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesCatalog
import EavesDiagnostics
import EavesSystem

extension BuildError {
    var what: String {
        switch cause {
        case .noFolder: "no such folder"
        case .notAFolder: "not a folder"
        case .noDeclaration: "the folder has no module.json"
        case .declaration: "module.json is not valid"
        case .otherID(let found): "its module.json is of another module, '\(found)'"
        case .noSources(let folder): "no Swift sources in \(folder)"
        case .reservedName(let folder, let name):
            "the folder's name makes the Swift module '\(name)', which exists already (\(folder))"
        case .noCompiler(let named?): "no Swift compiler: EAVES_SWIFTC is '\(named)', not a program"
        case .noCompiler(nil): "no Swift compiler: swiftc is not in PATH"
        case .unusableCompiler(let path, let reason): "cannot use \(path): \(reason)"
        case .otherCompiler(let path, let found, let expected):
            "expected Swift \(expected), which built this host, found \(found) (\(path))"
        case .noSDK(let searched):
            "nothing to build against: no EavesInterface in \(searched.joined(separator: ", "))"
        case .damagedSDK(let path, let missing): "\(path) does not say \(missing)"
        case .compilation: "does not compile"
        case .crash(let path, let ending): "the compiler crashed with \(ending) (\(path))"
        case .noEntry(let folder, _): "no source in \(folder) defines \(BinaryReport.entryName)"
        case .badBinary(let problem): "what the linker made is no module: \(problem.message)"
        case .unsteady(let file): "\(file) kept changing while it was compiled"
        case .sameOutput(let output, let other): "\(output) is built from \(other) already"
        case .outputIsFolder(let path): "cannot create \(path): it is a folder"
        case .unwritable(let error): "cannot \(error.action.rawValue) \(error.path): \(error.errno)"
        case .unreadable(let error): "cannot \(error.action.rawValue) \(error.path): \(error.errno)"
        case .interrupted: "not built: interrupted"
        }
    }

    var fix: String? {
        switch cause {
        case .noFolder, .notAFolder: "name a folder with a module.json and Swift sources"
        case .noDeclaration:
            """
            write one, such as
                { "id": "hello", "version": "1.0.0", "summary": "Says hello", "layer": "feature",
                  "features": [ { "name": "hello", "summary": "Say hello" } ] }
            """
        case .noSources: "add the module's sources and an Entry.swift"
        case .otherID: "build it under its own name"
        case .reservedName: "rename the folder"
        case .noCompiler(let named):
            named == nil
                ? "install Swift from swift.org, or set EAVES_SWIFTC to the path of swiftc"
                : "set EAVES_SWIFTC to the path of swiftc, or unset it"
        case .unusableCompiler: "see whether 'swiftc --version' works"
        case .otherCompiler: "put that compiler first in PATH, or set EAVES_SWIFTC to its path"
        case .noSDK: "run the eaves that 'swift build' made, or install lib/eaves beside its bin"
        case .damagedSDK: "build the host again with 'swift build'"
        case .noEntry(_, let moduleName):
            """
            add Entry.swift, with the name of your Module type:

                import CEaves
                import EavesInterface

                @c(eaves_register)
                public func eavesRegister(_ host: UnsafePointer<eaves_host>) -> Int32 {
                    register(\(moduleName)Module.self, with: host)
                }
            """
        case .unsteady: "build again when nothing writes to it"
        case .sameOutput: "give each of them an id, or an output, of its own"
        case .outputIsFolder: "remove it, or name another file with -o"
        case .unwritable(let error), .unreadable(let error): error.diagnostics.first?.fix
        case .compilation: "correct what the compiler names above, and build again"
        case .crash: "build again; if it crashes again, report it to the makers of the compiler"
        case .interrupted: "build again"
        case .declaration, .badBinary: nil
        }
    }

    var code: FailureCode {
        switch cause {
        case .noFolder, .notAFolder, .noDeclaration, .noCompiler, .noSDK: .notFound
        case .otherCompiler: .incompatible
        case .crash, .unusableCompiler: .crashed
        case .outputIsFolder, .unwritable: .cannotCreate
        case .unreadable(let error): error.diagnostics.first?.code ?? .inputOutput
        case .unsteady, .interrupted: .inputOutput
        case .declaration, .otherID, .noSources, .reservedName, .damagedSDK, .compilation,
            .noEntry, .badBinary, .sameOutput:
            .badData
        }
    }
}
