// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesBuild
import EavesCode
package import EavesDeclaration

/// The files of one new module. They build without a warning, the module keeps its promises, and its test passes.
package struct ModuleTemplate: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// A person launches it.
        case feature
        /// Other modules ask for what it provides.
        case service
        /// Other modules are compiled against its protocols.
        case interface
        /// It brings other modules together. It provides a service if it names one, and offers a feature otherwise.
        case composition

        var layer: Layer {
            switch self {
            case .feature: .feature
            case .service: .core
            case .interface: .interface
            case .composition: .composition
            }
        }
    }

    /// The languages that a module can be written in, and who builds it.
    package enum Language: String, CaseIterable, Sendable {
        case swift, c, cpp, rust
        /// A Swift package, which can use others.
        case package
    }

    /// The id, which is the feature's name, too.
    package let id: String
    package let kind: Kind
    package let language: Language
    /// The services that the module provides, or the protocols that the interface module declares.
    package let services: [String]
    /// The names in the interfaces that it names.
    private(set) var names = TypeNames([:])

    /// - Parameters:
    ///   - services: Empty for a feature; an interface module then gets a protocol of its own name.
    package init(
        _ kind: Kind, id: String, in language: Language = .swift, services: [String] = []
    ) {
        self.id = id
        self.kind = kind
        self.language = language
        self.services =
            kind == .interface && services.isEmpty ? [Self.protocolName(of: id)] : services
    }

    /// The folder's name, which is that of the Swift module: `UsersMemory` for `users-memory`.
    package var folder: String { Self.capitalized(id) }

    /// The declaration of the module.
    ///
    /// - Parameter interfaces: The ids of the interface modules that it names.
    package func declaration(naming interfaces: [String]) -> ModuleDeclaration {
        ModuleDeclaration(
            id: id, version: "1.0.0", summary: summary, layer: kind.layer,
            provides: kind == .interface ? [] : services.map { Provision(service: $0) },
            features: services.isEmpty
                ? [FeatureDeclaration(name: id, summary: "Greet a person")] : [],
            interfaces: interfaces.map { InterfaceNeed($0) })
    }

    private var summary: String {
        let names = services.joined(separator: ", ")
        return switch kind {
        case .interface: "What \(names) can do"
        case _ where !services.isEmpty: "Provide \(names)"
        case .composition: "Bring modules together"
        default: "Greet a person"
        }
    }

    /// The module's files, relative to its folder.
    ///
    /// - Parameters:
    ///   - interfaces: Those that it names.
    ///   - sketches: The types that provide its services.
    package func files(
        _ interfaces: NamedInterfaces, providing sketches: [ConformanceSketch]
    ) -> [NewFile] {
        let declaration = NewFile(
            ModuleDeclaration.fileName, moduleFile(interfaces.declaration))
        var template = self
        template.names = interfaces.names
        return [declaration] + template.sources(interfaces.modules, sketches)
    }

    /// The line of the project's package for the module in a folder of the project.
    ///
    /// - Parameter modules: The Swift modules of the interfaces that it names.
    package func packageLine(for folder: String, importing modules: [String]) -> String {
        func call(_ function: String, _ label: String, _ modules: [String]) -> String {
            let named = modules.isEmpty ? "" : ", \(label): [\(Self.list(modules))]"
            return "\(function)(\(folder.debugDescription)\(named)),"
        }
        return switch language {
        case .swift: call(kind == .interface ? "interface" : "module", "interfaces", modules)
        case .package where kind == .interface: call("packaged", "interfaces", [])
        // The test of a feature names no interface.
        default: call("tests", "of", services.isEmpty ? [] : modules)
        }
    }

    private func sources(_ modules: [String], _ sketches: [ConformanceSketch]) -> [NewFile] {
        let files =
            switch language {
            case _ where kind == .interface: interfaceFiles(modules)
            case .swift, .package: swiftFiles(modules, sketches)
            case .c: cFiles("c")
            case .cpp: cFiles("cpp")
            case .rust: rustFiles
            }
        return language == .package ? packaged(files) : files
    }

    /// `module.json`, as people write it: a line for each member, and those left out that are empty.
    private func moduleFile(_ declaration: ModuleDeclaration) -> String {
        var members = [
            ("id", id.debugDescription), ("version", "1.0.0".debugDescription),
            ("summary", declaration.summary.debugDescription),
            ("layer", declaration.layer.rawValue.debugDescription),
        ]
        if !declaration.interfaces.isEmpty {
            members.append(("interfaces", "[\(Self.list(declaration.interfaces.map(\.id)))]"))
        }
        let provisions = declaration.provides.map {
            "{ \"service\": \(ServiceName.word($0.service).debugDescription) }"
        }
        if !provisions.isEmpty {
            members.append(("provides", "[\(provisions.joined(separator: ", "))]"))
        }
        if let feature = declaration.features.first {
            let text =
                "{ \"name\": \(feature.name.debugDescription), \"summary\": \(feature.summary.debugDescription) }"
            members.append(("features", "[\(text)]"))
        }
        let lines = members.map { "  \"\($0)\": \($1)" }
        return "{\n\(lines.joined(separator: ",\n"))\n}\n"
    }

    // MARK: Names

    private static func list(_ words: [String]) -> String {
        words.map(\.debugDescription).joined(separator: ", ")
    }

    /// The words of an id, each with a capital letter first, in one: `WeatherAPI` for `weather-api`.
    private static func capitalized(_ id: String) -> String {
        let name = id.split { !$0.isLetter && !$0.isNumber }.map { word in
            word == "api" ? "API" : word.prefix(1).uppercased() + word.dropFirst()
        }.joined()
        return name.first?.isNumber == true ? "_" + name : name
    }

    /// `WeatherService` for `weather-api` and for `weather-interface`. Its name is not that of its Swift module, which
    /// the compiler would take it for.
    private static func protocolName(of id: String) -> String {
        let words = id.split { !$0.isLetter && !$0.isNumber }
        let subject = words.filter { !["api", "interface", "service"].contains($0) }
        let name = capitalized((subject.isEmpty ? words : subject).joined(separator: "-"))
        let candidate = name + "Service"
        return candidate == capitalized(id) ? name + "Serving" : candidate
    }
}
