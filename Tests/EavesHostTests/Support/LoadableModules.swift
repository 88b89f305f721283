// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import CEaves
import CommonInterface
import EavesDeclaration
import EavesInterface
import EavesJSON
import EavesTestSupport
import Synchronization

@testable import EavesHost
@testable import EavesModules

/// Modules that a test writes in Swift, without compiling one for each: their files are copies of one
/// module in C, whose entry point calls back into the test.
enum LoadableModules {
    /// The code of a module that registers.
    typealias Registration = @Sendable (any Registrar) throws -> Void

    /// The code of the modules, by the keys that their files hold.
    fileprivate static let registrations = Mutex<[String: Registration]>([:])

    private static let mark = "@@KEY@@"
    private static let room = 64

    private static func template(_ more: String) throws -> [UInt8] {
        let entry = """
            int eaves_host_tests_register(const void *host, const char *key);
            __attribute__((used)) static char key[\(room)] = "\(mark)";
            int eaves_register(const void *host) { return eaves_host_tests_register(host, key); }
            \(more)
            """
        return try CCompiler.first().compile(
            Binaries.source(note: Binaries.placeholder, entry: entry))
    }

    /// The bytes of a module that declares one thing, and registers what a function says.
    static func module(
        _ note: ModuleNote, registering registration: @escaping Registration, source: String = ""
    ) throws -> [UInt8] {
        let key = "module-\(UInt64.random(in: 0 ... .max))"
        registrations.withLock { $0[key] = registration }
        let noted = try Binaries.filling(
            Binaries.placeholder, room: Binaries.room,
            with: Array(note.json.text(pretty: false).utf8), in: template(source))
        return try Binaries.filling(mark, room: room, with: Array(key.utf8), in: noted)
    }
}

/// What the modules' entry points call.
@c(eaves_host_tests_register)
public func registerLoadedModule(
    _ host: UnsafePointer<eaves_host>, _ key: UnsafePointer<CChar>
) -> Int32 {
    // SAFETY: the host calls the entry point with its own table, which is valid during this call, and
    // `registrar` points to an `any Registrar`, as `eaves.h` promises. The key is static data.
    let registrar = host.pointee.registrar.assumingMemoryBound(to: (any Registrar).self).pointee
    let key = String(cString: key)
    guard let registration = LoadableModules.registrations.withLock({ $0[key] }) else { return 99 }
    do {
        "registers".withCString { host.pointee.log(host, EAVES_LOG_INFO, $0) }
        try registration(registrar)
        return 0
    } catch {
        String(describing: error).withCString { host.pointee.fail(host, $0) }
        return 1
    }
}

extension Binaries {
    /// C source of a definition of which a process has one.
    static func unique(_ name: String) -> String {
        #"""
        __asm__(".data\n.globl \#(name)\n.type \#(name), @gnu_unique_object\n\#(name): .quad 1\n"
                ".size \#(name), 8\n.text\n");
        """#
    }
}

extension TemporaryFolder {
    /// Drops a module that can be loaded into a folder.
    ///
    /// - Parameters:
    ///   - name: Where; `Plugins/ID.so` if not given.
    ///   - registration: What it registers; everything that it declares, if not given.
    ///   - source: More C source.
    @discardableResult
    func addLoadable(
        _ declaration: ModuleDeclaration, as name: String? = nil, inputs: String? = nil,
        registering registration: LoadableModules.Registration? = nil, source: String = ""
    ) throws -> String {
        let noted = declaration.provides.isEmpty ? declaration : declaration.namingCommon()
        let note = ModuleNote(declaration: noted, tag: BuildTag(abi: 1, inputs: inputs))
        let bytes = try LoadableModules.module(
            note, registering: registration ?? { try declaration.register(in: $0) }, source: source)
        return try write(bytes, to: name ?? "Plugins/\(declaration.id).so")
    }
}

extension ModuleDeclaration {
    /// A copy that names the common interface, whose protocols the samples provide. This program has it
    /// linked in.
    func namingCommon() -> ModuleDeclaration {
        _ = Self.linksCommon
        var declaration = self
        declaration.interfaces = [
            InterfaceNeed(
                "common",
                built: InterfaceStamp(
                    module: "CommonInterface", version: InterfaceVersion(major: 1, minor: 0)))
        ]
        return declaration
    }

    private static let linksCommon: Void = {
        do {
            try LinkedInterfaces.declare([
                LinkedInterface(id: "common", module: "CommonInterface", version: "1.1")
            ])
        } catch {
            preconditionFailure("the version is one: \(error)")
        }
    }()

    /// Registers what is declared here. The instances name the module.
    func register(in registrar: any Registrar) throws {
        let module = id
        for feature in features {
            registrar.registerFeature(feature.name) { _ in Answer(module: module) }
        }
        for provision in provides {
            switch provision.service {
            case "UserService":
                registrar.register((any UserService).self, name: provision.name) { _ in
                    Users(module: module)
                }
            case "EventHandler":
                registrar.register((any EventHandler).self, name: provision.name) { _ in
                    Events(module: module)
                }
            case "LoginFactory":
                registrar.register((any LoginFactory).self, name: provision.name) { _ in
                    Logins(module: module)
                }
            default: throw FixtureError("no sample of \(provision)")
            }
        }
    }
}

/// A feature that prints the id of its module, and the arguments.
struct Answer: Feature {
    let module: String

    func launch(_ launch: Launch) async throws -> ExitCode {
        try launch.console.print(([module] + launch.arguments).joined(separator: " "))
        return ExitCode(7)
    }
}

struct Users: UserService {
    let module: String

    func users() async throws -> [User] { [User(id: 1, name: module)] }
}

struct Events: EventHandler {
    let module: String

    func handle(_ event: Event) async throws {}
}

struct Logins: LoginFactory, FeatureFactory {
    let module: String

    func makeLogin(name: String?) throws -> any Feature { Answer(module: module) }
}

/// A feature that throws an error.
struct Failing: Feature {
    let error: any Error

    func launch(_ launch: Launch) async throws -> ExitCode { throw error }
}
