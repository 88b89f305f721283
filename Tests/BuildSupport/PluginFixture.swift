// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesBuild
import EavesChild
package import EavesCompiler
import EavesProcess
package import EavesSystem
package import EavesTestSupport

/// A folder `Plugins` with source folders in it, and a builder for them.
package struct PluginFixture {
    package let scratch: TemporaryFolder
    package let host: HostFixture
    package var builder: Builder
    /// The stand-in that builds, if there is one, so that its files stay.
    private var compiler: CompilerFixture?

    package init(host: HostFixture? = nil, environment: Environment = .current) throws {
        let host = try host ?? HostFixture.shared.get()
        scratch = try TemporaryFolder()
        self.host = host
        builder = Builder(forHost: host.executable, environment: environment)
    }

    /// A module `Hello`, and a stand-in that builds it, with the folder of its sources in `PLUGIN`.
    ///
    /// - Parameter script: Shell commands to compile with; `give` writes the module.
    package static func hello(
        by script: String = "give", host: HostFixture? = nil
    ) throws -> (PluginFixture, CompilerFixture, BuildRequest) {
        let compiler = try CompilerFixture(script: script)
        var plugins = try PluginFixture(host: host)
        var environment = compiler.environment
        environment["PLUGIN"] = plugins.scratch.file("Plugins/Hello")
        plugins.builder = Builder(forHost: plugins.host.executable, environment: environment)
        plugins.compiler = compiler
        return (plugins, compiler, try plugins.add("Hello"))
    }

    package static let entry = """
        import CEaves
        import EavesInterface

        @c(eaves_register)
        public func eavesRegister(_ host: UnsafePointer<eaves_host>) -> Int32 {
            register(TheModule.self, with: host)
        }

        """

    /// Writes a module that compiles. Returns the request to build it.
    @discardableResult
    package func add(
        _ folder: String, id: String? = nil, summary: String = "",
        configuration: BuildConfiguration? = nil
    ) throws -> BuildRequest {
        let id = id ?? folder.lowercased()
        try scratch.write(Self.declaration(id, summary), to: "Plugins/\(folder)/module.json")
        try scratch.write(
            """
            import EavesInterface
            public enum TheModule: Module { public static var name: String { "\(folder)" } }

            """, to: "Plugins/\(folder)/\(folder).swift")
        try scratch.write(Self.entry, to: "Plugins/\(folder)/Entry.swift")
        return BuildRequest(
            id: id, folder: scratch.file("Plugins/\(folder)"),
            output: scratch.file("Plugins/\(id).so"), configuration: configuration,
            base: scratch.path)
    }

    package static func declaration(
        _ id: String, _ summary: String = "", entry: String? = nil
    ) -> String {
        let key = entry.map { #", "entry": "\#($0)""# } ?? ""
        return #"{ "id": "\#(id)", "version": "1.0.0", "summary": "\#(summary)", "#
            + #""layer": "feature"\#(key) }"#
    }

    /// Whether a build finds nothing to do for a module.
    package func isUpToDate(_ request: BuildRequest) -> Bool {
        if case .upToDate = builder.build([request])[0].outcome { true } else { false }
    }

    /// The names in `Plugins`, including private folders that a build left, without the records.
    package func names() throws -> [String] {
        try scratch.names(in: "Plugins").filter { $0 != ".eaves-records" }
    }

    /// Runs a script in the folder that holds `Plugins`.
    ///
    /// - Parameter compiler: The stand-in that builds.
    package func run(_ script: String, _ compiler: CompilerFixture? = nil) throws {
        var environment = Environment.current
        environment["INTERFACE"] = host.interface
        environment["HEADER"] = host.header
        environment["INFO"] = compiler?.scratch.file("info")
        environment["SWIFTC"] = compiler?.swiftc
        let report = try ChildPool.run(
            ChildCommand("sh", ["-ec", "cd \(scratch.path); \(script)"], environment: environment))
        guard report.ending.isSuccess else { throw FixtureError(report) }
    }

    /// Sets the times of files back to when they are trusted alone, and waits until the clock of the file
    /// system is past the change that this is.
    package func age(_ path: String) throws {
        try run("find \(path) -type f -exec touch -d '1 hour ago' {} +")
        // The clocks of some file systems tick in whole seconds.
        let start = try changeOfNewFile()
        let tick: Int64 = start % 1_000_000_000 == 0 ? 3_000_000_000 : 50_000_000
        try Patience.wait(for: "a later time on the clock of the file system") {
            try changeOfNewFile() >= start + tick
        }
    }

    /// The time of the file system, in nanoseconds since 1970.
    private func changeOfNewFile() throws -> Int64 {
        try scratch.write("", to: "clock")
        return try FileStatus(path: scratch.file("clock")).changed
    }
}
