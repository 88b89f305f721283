// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
import EavesDeclaration
import EavesJSON
import EavesManifest
import EavesTestSupport
import Testing

@testable import EavesGraph

/// A manifest with modules in a folder of its own. The modules are real binaries with the symbols that the
/// Swift compiler would give them.
struct Application {
    /// A module, and the symbols of its binary.
    struct Module {
        var declaration: ModuleDeclaration
        /// Symbols that other binaries define.
        var needs: [String] = []
        /// Symbols that it defines.
        var defines: [String] = []
        var tag = BuildTag.sample
    }

    let folder: TemporaryFolder
    let manifest: Manifest
    let catalog: Catalog

    /// - Parameter files: Further files, by their names.
    init(
        _ modules: [Module], files: [String: String] = [:],
        manifest text: String = #"{ "manifest": 1 }"#
    ) throws {
        folder = try TemporaryFolder()
        try folder.createFolder("Plugins")
        for module in modules {
            try folder.write(module.binary(), to: "Plugins/\(module.declaration.id).so")
        }
        for (name, text) in files { try folder.write(text, to: name) }
        manifest = try Manifest.load(folder.write(text, to: "manifest.json"))
        catalog = Catalog(
            manifest: manifest, profile: .sample, hostServices: ["EavesInterface.Routing"],
            table: nil)
    }

    var program: WiredProgram {
        WiredProgram { $0 == .service("EavesInterface.Routing", name: nil) }
    }
    var wiring: Wiring { Wiring(catalog, of: manifest, in: program) }
    var graph: ModuleGraph { ModuleGraph(wiring) }
    var audit: Audit { Audit(wiring) }
}

extension Application.Module {
    /// The common interface, with protocols of these names, and what its members mention.
    static func common(
        _ protocols: [String] = ["UserService", "EventHandler"], defines: [String] = [],
        needs: [String] = []
    ) -> Self {
        Self(
            declaration: ModuleDeclaration(
                id: "common", version: "1.0.0", layer: .interface,
                interface: InterfaceContent(module: "CommonInterface", protocols: protocols)),
            needs: needs, defines: protocols.map(Symbol.descriptor) + defines)
    }

    /// A module that names the common interface, and implements and asks for its services.
    static func module(
        _ id: String, _ layer: Layer = .core, provides: [String] = [], requires: [String] = [],
        features: [String] = [], needs: [String]? = nil
    ) -> Self {
        let stamp = InterfaceStamp(
            module: "CommonInterface", version: InterfaceVersion(major: 1, minor: 0))
        let qualified = { (name: String) in
            ServiceName.module(name) == nil ? "CommonInterface.\(name)" : name
        }
        return Self(
            declaration: ModuleDeclaration(
                id: id, version: "1.0.0", layer: layer,
                provides: provides.map { Provision(service: qualified($0)) },
                requires: requires.map(qualified),
                features: features.map { FeatureDeclaration(name: $0) },
                interfaces: [InterfaceNeed("common", built: stamp)]),
            needs: needs
                ?? (provides.flatMap { [Symbol.descriptor($0), Symbol.requirement($0)] }
                    + requires.map(Symbol.descriptor)))
    }

    func binary() throws -> [UInt8] {
        let note = ModuleNote(declaration: declaration, tag: tag).json.text(pretty: false)
        let calls = needs.map(Symbol.writable).map { "extern void \($0)(void);\n" }.joined()
        let body = needs.map { Symbol.writable($0) + "();" }.joined()
        let entry =
            Binaries.entry + calls + "void call(void) { \(body) }\n"
            + defines.map { "void \(Symbol.writable($0))(void) {}\n" }.joined()
        let source = Binaries.source(note: note, entry: entry)
        return Symbol.patched(try CCompiler.first().compile(source, ["-shared", "-w"]))
    }
}

/// Mangled names of the common interface.
enum Symbol {
    static func descriptor(_ name: String) -> String { "\(name.mangledProtocol)Mp" }

    /// The descriptor of a requirement, which code that implements the protocol refers to.
    static func requirement(_ name: String) -> String { "\(name.mangledProtocol)P4makeyyFTq" }

    /// The thunk of a requirement, which code with an instance calls.
    static func thunk(_ name: String) -> String { "\(name.mangledProtocol)P4makeyyFTj" }

    /// Assemblers do not take symbols that begin with a dollar sign. So the compiler sees a letter instead,
    /// and the bytes are patched.
    static func writable(_ symbol: String) -> String { "Q" + symbol.dropFirst() }

    static func patched(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let mark = Array("\0Qs".utf8)
        for start in bytes.indices.dropLast(mark.count)
        where bytes[start + 1] == mark[1] && bytes[start...].starts(with: mark) {
            if (0x30...0x39).contains(bytes[start + 3]) { bytes[start + 1] = UInt8(ascii: "$") }
        }
        return bytes
    }
}

extension String {
    /// `$s15CommonInterface11UserService` for `UserService`, and the same for `OtherModule.Name`.
    fileprivate var mangledProtocol: String {
        let module = ServiceName.module(self) ?? "CommonInterface"
        let word = ServiceName.word(self)
        return "$s\(module.utf8.count)\(module)\(word.utf8.count)\(word)"
    }
}

extension ModuleGraph {
    /// The edges in words, such as `module users -requires-> service UserService`.
    var lines: [String] {
        edges.map { "\($0.from.text) -\($0.label)-> \($0.to.text)" }
    }
}
