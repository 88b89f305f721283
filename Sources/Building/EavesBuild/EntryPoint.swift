// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCode
import EavesCompiler
import EavesDeclaration
import EavesJSON
import EavesSystem

/// The way a module gets its entry point, the C function `eaves_register`.
enum EntryPoint: Hashable, Sendable {
    /// A source of the folder defines the function.
    case written
    /// The build adds the function, which registers this type.
    case added(ModuleType)
    case absent

    /// The type that conforms to `Module`.
    struct ModuleType: Hashable, Sendable {
        /// As sources have to write it, with the names of the types around it.
        var name: String
        /// The source file, relative to the folder, and the line that declares the type.
        var place: String

        /// The source file, relative to the folder.
        var file: String { String(place.prefix { $0 != ":" }) }
    }

    /// Looks for the function in the sources, and then for the type to add it for.
    ///
    /// - Parameters:
    ///   - type: The type that `module.json` names; `nil` if it is named like the folder.
    ///   - contents: The content of all sources.
    ///   - isInC: Whether a source in C defines the function.
    /// - Throws: If the sources have neither the function nor the type.
    init(
        of request: BuildRequest, named type: String?, in contents: [SourceFiles.Content],
        isInC: Bool = false
    ) throws(BuildError) {
        if isInC {
            self = .written
            return
        }
        let expected = type ?? ModuleName.type(of: request)
        var found: ModuleType?
        var others: [String] = []
        for content in contents where content.isSwift {
            let declarations = SwiftDeclarations(content.bytes)
            if declarations.hasEntryPoint {
                self = .written
                return
            }
            for type in declarations.types {
                let name = type.name.filter { $0 != "`" }
                if name != expected {
                    others.append(name)
                } else if found == nil {
                    let line = TextLines(content.bytes).position(of: type.offset).line
                    found = ModuleType(name: type.name, place: "\(content.name):\(line)")
                }
            }
        }
        guard let found else {
            throw BuildError(
                request.id,
                .entry(
                    .noModuleType(
                        folder: request.shownFolder, expected: expected, isNamed: type != nil,
                        others: others)))
        }
        self = .added(found)
    }

    /// The source that the build adds; `nil` if a source of the folder defines the function.
    ///
    /// - Parameters:
    ///   - path: The file that the compiler's messages name instead of the added one. No other source may
    ///     have its name.
    ///   - module: The Swift module of the type, if it is another one than that of the added source.
    func source(shownAs path: String, importing module: String? = nil) -> String? {
        guard case .added(let type) = self else { return nil }
        let imported = module.map { "@testable import \($0)\n" } ?? ""
        let escaped = path.map { "\\\"".contains($0) ? "\\\($0)" : "\($0)" }.joined()
        return """
            import CEaves
            import EavesInterface
            \(imported)
            #sourceLocation(file: "\(escaped)", line: 1)
            @c(eaves_register)
            public func _eavesRegister(_ host: Swift.UnsafePointer<CEaves.eaves_host>) -> Swift.Int32 {
                EavesInterface.register(\(type.name).self, with: host)
            }

            """
    }

    /// The file that the compiler's messages name instead of the added source.
    static func shownPath(for request: BuildRequest) -> String {
        Path.join(request.folder, ModuleDeclaration.fileName)
    }

    /// How the compiler's lines about the added source begin; `nil` if there is none.
    func shownPrefix(for request: BuildRequest) -> String? {
        if case .added = self { Self.shownPath(for: request) + ":" } else { nil }
    }

    /// An error in the words of the sources, if the compiler reports one about the added source and
    /// none about the others.
    func error(in output: String, of request: BuildRequest) -> BuildError? {
        guard case .added(let type) = self else { return nil }
        let prefix = Self.shownPath(for: request) + ":"
        let errors = CompilerOutput(output).errors
        guard let reason = errors.first?.message,
            errors.allSatisfy({ $0.line.hasPrefix(prefix) })
        else { return nil }
        let place = Path.join(request.shownFolder, type.place)
        return BuildError(
            request.id,
            .entry(.badModuleType(name: type.name, place: place, reason: String(reason))))
    }
}

/// The Swift names that follow from the name of a module's folder.
enum ModuleName {
    /// Modules that are not in the compiler's own folders. All others are looked up there.
    private static let reserved: Set<String> = [
        "CEaves", InterfaceStamp.hostModule, "Builtin",
    ]

    /// The name of the Swift module: the one that the `module.json` of an interface module names, else the folder's
    /// name as an identifier of ASCII characters. The id takes its place if the folder's name has no letter or digit of
    /// ASCII. Keywords are as good as other names: the compiler takes any identifier.
    static func module(
        of request: BuildRequest, named given: String? = nil, compiler: Compiler
    ) throws(BuildError) -> String {
        let name =
            given ?? identifier(Path.name(of: request.folder)) ?? identifier(request.id) ?? "Module"
        guard !reserved.contains(name), !compiler.hasModule(named: name) else {
            throw BuildError(request.id, .reservedName(folder: request.shownFolder, name: name))
        }
        return name
    }

    /// The name of the type that conforms to `Module`: `SunnyModule` for the folder `Sunny`, and
    /// `VerySunnyModule` for `very-sunny`.
    static func type(of request: BuildRequest) -> String {
        let words = [Path.name(of: request.folder), request.id].lazy.map(capitalized)
        let name = (words.first { !$0.isEmpty } ?? "") + "Module"
        return name.first?.isNumber == true ? "_" + name : name
    }

    /// Replaces all but letters, digits and `_` of ASCII by `_`. `nil` if no letter or digit is left.
    static func identifier(_ text: String) -> String? {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            let isKept = scalar.isASCII && (scalar.properties.isAlphabetic || isDigit(scalar))
            return isKept ? scalar : "_"
        }
        guard let first = scalars.first, scalars.contains(where: { $0 != "_" }) else { return nil }
        let name = String(String.UnicodeScalarView(scalars))
        return isDigit(first) ? "_" + name : name
    }

    /// The words of a text, each with a capital letter first, in one. Only letters and digits make a word.
    private static func capitalized(_ text: String) -> String {
        text.split { !$0.isLetter && !$0.isNumber }
            .map { $0.prefix(1).uppercased() + $0.dropFirst() }
            .joined()
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        ("0"..."9").contains(scalar)
    }
}
