// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesBuildTestSupport
import EavesChild
@testable import EavesCompiler
import EavesDeclaration
import EavesDiagnostics
import EavesELF
import EavesProcess
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesBuild

/// Modules that are Rust crates: with the Cargo of the machine, and with a stand-in.
@Suite("Rust crates", .onOwnThreads, .patiently) struct CrateBuildTests {
    /// The machine's Cargo, if it works: some machines have a stand-in of rustup without a toolchain.
    private static let hasCargo: Bool = {
        let report = try? ChildPool.run(ChildCommand("cargo", ["--version"]))
        return report?.ending.isSuccess == true
    }()

    private func add(_ plugins: PluginFixture) throws -> BuildRequest {
        let scratch = plugins.scratch
        try scratch.write(PluginFixture.declaration("crusty"), to: "Plugins/crusty/module.json")
        try scratch.write(
            """
            [package]
            name = "crusty-module"
            version = "0.1.0"
            edition = "2021"

            [lib]
            crate-type = ["cdylib"]

            [dependencies]
            answer = { path = "../../answer" }

            """, to: "Plugins/crusty/Cargo.toml")
        try scratch.write(
            """
            #[no_mangle]
            pub extern "C" fn eaves_register(_host: *const core::ffi::c_void) -> i32 {
                answer::answer() - 42
            }

            """, to: "Plugins/crusty/src/lib.rs")
        try scratch.write(
            "[package]\nname = \"answer\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
            to: "answer/Cargo.toml")
        try scratch.write("pub fn answer() -> i32 { 42 }\n", to: "answer/src/lib.rs")
        return BuildRequest(
            id: "crusty", folder: scratch.file("Plugins/crusty"),
            output: scratch.file("Plugins/crusty.so"), base: scratch.path)
    }

    @Test(
        "become modules with the note of module.json", .enabled(if: hasCargo, "needs cargo"),
        arguments: BuildConfiguration.allCases)
    func built(configuration: BuildConfiguration) throws {
        let plugins = try PluginFixture()
        var request = try add(plugins)
        request.configuration = configuration
        let result = plugins.builder.build([request])[0]
        #expect(result.error == nil, "\(result.compilerOutput)")
        let note = try #require(ModuleContent(request.output).note)
        #expect(note.declaration.id == "crusty")
        #expect(note.tag.interface == nil)
        #expect(try BinaryReport(of: request.output).hasEntry)
        #expect(plugins.builder.freshness(of: request) == .fresh)
        try plugins.scratch.write(
            "made by the user's own build", to: "Plugins/crusty/target/debug/x")
        #expect(plugins.builder.freshness(of: request) == .fresh)
        try plugins.scratch.write("pub fn answer() -> i32 { 43 }\n", to: "answer/src/lib.rs")
        #expect(plugins.builder.freshness(of: request) == .stale)
    }

    @Test(
        "that do not compile are passed on with what Cargo says",
        .enabled(if: hasCargo, "needs cargo"))
    func mistake() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins)
        try plugins.scratch.write("fn broken( {}\n", to: "Plugins/crusty/src/lib.rs")
        let result = plugins.builder.build([request])[0]
        #expect(result.error == BuildError("crusty", .compilation))
        #expect(result.compilerOutput.contains("src/lib.rs:1"))
    }

    @Test(
        "are built with settings of Cargo from folders above, unless another user wrote them",
        .enabled(if: hasCargo && geteuid() == 0, "needs cargo and root"),
        arguments: [".cargo/config.toml", "rust-toolchain.toml"])
    func settings(name: String) throws {
        let plugins = try PluginFixture()
        let request = try add(plugins)
        let ran = plugins.scratch.file("ran")
        let tool = try plugins.scratch.writeProgram(
            "#!/bin/sh\ntouch '\(ran)'\nexec \"$@\"\n", to: "tools/bin/cargo")
        let settings = plugins.scratch.file(name)
        let text =
            name.hasPrefix(".cargo")
            ? "[build]\nrustc-wrapper = \"\(tool)\"\n"
            : "[toolchain]\npath = \"\(plugins.scratch.file("tools"))\"\n"
        // As in `/tmp`, others may add what they like, and change nothing else.
        try Files.setMode(0o1777, of: plugins.scratch.path)
        try OtherUser.run {
            mkdir(Path.parent(of: settings), 0o755)
            let file = open(settings, O_WRONLY | O_CREAT, 0o644)
            _ = text.withCString { write(file, $0, text.utf8.count) }
            close(file)
        }
        try #require(FileStatus(path: settings).owner == OtherUser.id)
        let error = try #require(plugins.builder.build([request])[0].error)
        #expect(error.diagnostics.map(\.code) == [.untrusted], "\(error)")
        #expect(throws: SystemError.self) { try FileStatus(path: ran) }
        // The same settings of one's own count. Not every Cargo looks for a toolchain.
        guard name.hasPrefix(".cargo") else { return }
        try plugins.run("chown -R 0 '\(settings)' '\(Path.parent(of: settings))'")
        _ = plugins.builder.build([request])
        #expect(throws: Never.self) { try FileStatus(path: ran) }
    }

    @Test(
        "whose crates cannot be fetched are not told that they are not valid",
        .enabled(if: hasCargo, "needs cargo"))
    func notFetched() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins)
        try plugins.scratch.write(
            """
            [package]
            name = "crusty-module"
            version = "0.1.0"

            [lib]
            crate-type = ["cdylib"]

            [dependencies]
            answer = { git = "file://\(plugins.scratch.file("nowhere"))" }

            """, to: "Plugins/crusty/Cargo.toml")
        let error = try #require(plugins.builder.build([request])[0].error)
        guard
            case .dependency(.cratesNotFetched("Plugins/crusty/Cargo.toml", let reason)) = error
                .cause
        else {
            Issue.record("\(error)")
            return
        }
        #expect(reason.contains("answer"))
        #expect(error.diagnostics.map(\.code) == [.inputOutput])
    }

    @Test("that are no cdylib are told what to write", .enabled(if: hasCargo, "needs cargo"))
    func noLibrary() throws {
        let plugins = try PluginFixture()
        let request = try add(plugins)
        try plugins.scratch.write(
            "[package]\nname = \"crusty\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
            to: "Plugins/crusty/Cargo.toml")
        let error = try #require(plugins.builder.build([request])[0].error)
        #expect(error.cause == .dependency(.noCrate(manifest: "Plugins/crusty/Cargo.toml")))
    }

    @Test("are left out where there is no Cargo")
    func noCargo() throws {
        let bin = try TemporaryFolder()
        var environment = Environment.current
        environment["EAVES_SWIFTC"] = try Toolchain.locate().swiftc
        environment["PATH"] = bin.path
        let plugins = try PluginFixture(environment: environment)
        let error = try #require(plugins.builder.build([try add(plugins)])[0].error)
        #expect(error.cause == .dependency(.noCargo))
        #expect(error.isMissingDependency)
        #expect(error.diagnostics[0].message == "crusty: no Rust: cargo is not in PATH")
        #expect(error.diagnostics[0].code == .notFound)
    }

    /// A script in the place of Cargo, which describes the crate and compiles C with the linker and the
    /// linker's arguments that it gets.
    @Test("are built by Cargo with the toolchain's linker and the note as its argument")
    func standIn() throws {
        let bin = try TemporaryFolder()
        var environment = Environment.current
        environment["EAVES_SWIFTC"] = try Toolchain.locate().swiftc
        let plugins = try PluginFixture(environment: environment)
        let request = try add(plugins)
        let folder = request.folder
        let text = try bin.write(
            """
            #!/bin/sh
            if [ "$1" = metadata ]; then
                echo '{"packages":[{"name":"crusty-module","source":null,
                    "manifest_path":"\(folder)/Cargo.toml",
                    "targets":[{"name":"crusty-module","crate_types":["cdylib"]}]}]}'
                exit
            fi
            printf '%s\\n' "$@" > \(bin.path)/arguments
            profile=debug
            while [ $# -gt 0 ]; do
                case "$1" in
                --release) profile=release ;;
                --target-dir) target=$2 ;;
                linker=*) linker=${1#linker=} ;;
                link-arg=*) options="$options ${1#link-arg=}" ;;
                esac
                shift
            done
            mkdir -p $target/$profile
            echo 'int eaves_register(void *host) { return !host; }' > $target/entry.c
            $linker -shared -fPIC $options -o $target/$profile/libcrusty_module.so $target/entry.c

            """, to: "cargo.text")
        let made = try ChildPool.run(
            ChildCommand("install", ["-m", "755", text, bin.file("cargo")]))
        #expect(made.ending.isSuccess)
        environment["PATH"] = bin.path + ":" + (environment["PATH"] ?? "")
        let builder = Builder(forHost: plugins.host.executable, environment: environment)
        var released = request
        released.configuration = .release
        let result = builder.build([released])[0]
        #expect(result.error == nil, "\(result.compilerOutput)")
        #expect(ModuleContent(request.output).note?.declaration.id == "crusty")
        let arguments = try bin.read("arguments").split(separator: "\n").map(String.init)
        #expect(arguments.first == "rustc")
        #expect(arguments.contains("--release"))
        #expect(arguments.contains("crusty-module"))
    }
}
