// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesManifest
import EavesQuarantine
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesRules

/// A module for each rule that breaks it, and keeps the rules that it presupposes.
enum BrokenModules {
    typealias Maker = @Sendable (TemporaryFolder) throws -> InspectedModule

    /// A maker that adds a module, and another one next to it.
    private static func adding(
        _ binary: Binary, besides other: Binary? = nil, manifest: String = #"{ "manifest": 1 }"#
    ) -> Maker {
        { folder in
            if let other { try folder.add(other, as: "other.so") }
            try folder.add(binary)
            return try folder.inspect(manifest: manifest)
        }
    }

    static let byRule: [String: Maker] = [
        "elf-readable": { folder in
            try folder.write("no module", to: "Plugins/subject.so")
            return try folder.inspect()
        },
        "permissions": { folder in
            try #require(chmod(folder.add(.module()), 0o666) == 0)
            return try folder.inspect()
        },
        "machine": { folder in
            var bytes = try Binary.module().compiled()
            // The field `e_machine`. This one is a SPARC.
            bytes[18] = 43
            try folder.write(bytes, to: "Plugins/subject.so")
            return try folder.inspect()
        },
        "note-present": adding(Binary()),
        "note-valid": adding(
            Binary(note: #"{"type":"eaves","name":"bad","eaves":{"abi":1}}"#)),
        "abi-version": adding(.module(tag: BuildTag(abi: 2))),
        "interface-version": adding(
            .module(tag: BuildTag(abi: 1, interface: InterfaceVersion(major: 1, minor: 4)))),
        "compiler": adding(.module(tag: BuildTag(abi: 1, compiler: "6.2.4"))),
        "manifest-entry": { folder in
            try folder.add(.module(), as: "first.so")
            try folder.add(.module(), as: "second.so")
            return try folder.inspect("second.so")
        },
        "quarantine": { folder in
            try folder.add(.module())
            let module = try folder.inspect()
            let store = try QuarantineStore(#require(module.manifest).store)
            try #require(try store.keepOut(module.entry.suspect, because: "it crashed", since: 1))
            return try folder.inspect()
        },
        "interfaces": adding(.module(.subject(interfaces: [.weather]))),
        "named-interfaces": { folder in
            try folder.addWeather()
            let source = Binary.entry + Binary.calling("$s10WeatherAPI0A7ServiceMp")
            try folder.add(.module(source: source))
            return try folder.inspect()
        },
        "interface-services": { folder in
            try folder.addWeather()
            try folder.add(
                .module(.subject(provides: ["WeatherAPI.UserService"], interfaces: [.weather])))
            return try folder.inspect()
        },
        "isolation": { folder in
            try folder.addWeather()
            try folder.add(
                .module(.subject(provides: ["WeatherAPI.WeatherService"], interfaces: [.weather])))
            return try folder.inspect(
                manifest: #"{"manifest": 1, "modules": {"subject": {"isolation": "process"}}}"#)
        },
        "entry-point": adding(.module(source: "int eaves_register = 1;")),
        "interface-not-carried": adding(
            .module(source: Binary.entry + Binary.defining(featureProtocol))),
        "interface-symbols": adding(
            .module(source: Binary.entry + Binary.calling(unknownProtocol))),
        "requirements": adding(
            .module(source: Binary.entry + Binary.conforming(to: featureProtocol))),
        "library-paths": adding(.module(options: ["-Wl,-rpath,lib"])),
        "library-trust": { folder in
            let library = try folder.write(
                Binary(source: Binary.defining("open"), options: ["-Wl,-soname,libopen.so"])
                    .compiled(), to: "libopen.so")
            try #require(chmod(library, 0o666) == 0)
            let options = [library, "-Wl,-rpath,\(folder.path)"]
            try folder.add(.module(source: Binary.entry + Binary.calling("open"), options: options))
            return try folder.inspect()
        },
        "executable-stack": adding(.module(options: ["-Wl,-z,execstack"])),
        "static-memory": adding(
            .module(source: Binary.entry + Binary.threadVariable("own", of: 9000))),
        "needed-libraries": { folder in
            let library = try folder.write(
                Binary(source: Binary.defining("ghost"), options: ["-Wl,-soname,libghost.so"])
                    .compiled(), to: "libghost.so")
            let source = Binary.entry + Binary.calling("ghost")
            try folder.add(.module(source: source, options: [library]))
            return try folder.inspect()
        },
        "module-links": { folder in
            let other = try folder.add(.module(.subject("other")), as: "other.so")
            try folder.add(
                .module(options: [
                    "-Wl,--no-as-needed", "-L\(Path.parent(of: other))", "-l:other.so",
                ]))
            return try folder.inspect()
        },
        "module-symbols": adding(
            .module(source: Binary.entry + Binary.calling("shared")),
            besides: .module(.subject("other"), source: Binary.entry + Binary.defining("shared"))),
        "symbols": adding(
            .module(source: Binary.entry + Binary.calling("function_of_nobody"))),
        "library-symbols": { folder in
            // This process has both from its C library, which the weak one may replace.
            let source = Binary.defining("getpid") + "__attribute__((weak)) void getuid(void) {}"
            let library = try folder.write(
                Binary(source: source, options: ["-Wl,-soname,libown.so"]).compiled(),
                to: "libown.so")
            try folder.add(
                .module(options: ["-Wl,--no-as-needed", library, "-Wl,-rpath,\(folder.path)"]))
            return try folder.inspect()
        },
        "layer": adding(
            .module(
                .subject(layer: .core), source: Binary.entry + Binary.calling(unknownProtocol)),
            besides: .module(.subject("other", provides: ["Unheard"]))),
        "declared-needs": adding(
            .module(source: Binary.entry + Binary.calling(unknownProtocol)),
            besides: .module(.subject("other", provides: ["Unheard"]))),
        "shared-code": adding(
            .module(source: Binary.entry + Binary.defining("$s7Formats4DateVMn")),
            besides: .module(
                .subject("other"), source: Binary.entry + Binary.defining("$s7Formats4DateVMn"))),
        "process-wide": adding(.module(source: Binary.entry + retroactive())),
        "digest": { folder in
            try folder.add(.module())
            return try folder.inspect { $0.sha256 = String(repeating: "0", count: 64) }
        },
        "signature": adding(
            .module(), manifest: #"{ "manifest": 1, "signatures": "required" }"#),
        "version": adding(
            .module(),
            manifest: #"{ "manifest": 1, "modules": { "subject": { "leastVersion": "99" } } }"#),
    ]

    /// A conformance of one module's type to the protocol of another one.
    static func retroactive(flags: Int = 0x48) -> String {
        Binary.conforming(to: "$s4Base4DeepMp", of: "$s4Base6PersonVMn", flags: flags)
    }

    /// The protocol descriptor of `Feature`, which this process has.
    static let featureProtocol = "$s14EavesInterface7FeatureMp"
    /// The protocol descriptor of an `Unheard`, which this process's interface does not have.
    static let unknownProtocol = "$s14EavesInterface7UnheardMp"
}
