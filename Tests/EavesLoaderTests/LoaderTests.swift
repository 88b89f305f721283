// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@testable import EavesLoader

@Suite("Loading a module", .onOwnThreads, .patiently)
struct LoaderTests {
    private let folder: TemporaryFolder
    private let registrar = KeptRegistrations()

    init() throws { folder = try TemporaryFolder() }

    /// Compiles a module whose entry point has this body, loads it and calls it.
    private func load(
        _ body: String, before: String = "", shown table: HostTable = .current
    ) throws {
        let code = "\(before)\nint32_t eaves_register(const eaves_host *host) { \(body) }"
        try registrar.load(CModules.compile(code, in: folder), shown: table)
    }

    /// A function that launches, and ends with this code.
    private static func launch(_ code: Int = 0) -> String {
        "static int32_t launch(void *state, const eaves_launch *launch) { return \(code); }"
    }

    @Test("registers the module's features, which get their arguments and give an exit code")
    func features() async throws {
        try load(
            """
            eaves_feature count = {sizeof count, "count", &number, count_arguments, 0};
            eaves_feature first = {sizeof first, "first", 0, first_letter, 0};
            return host->register_feature(host, &count) | host->register_feature(host, &first);
            """,
            before: """
                static int number = 40;
                static int32_t count_arguments(void *state, const eaves_launch *launch) {
                    if (launch->size != sizeof *launch || launch->argv[launch->argc]) return 1;
                    if (launch->input != 0 || launch->output != 1 || launch->error != 2) return 2;
                    return *(int *)state + launch->argc;
                }
                static int32_t first_letter(void *state, const eaves_launch *launch) {
                    return launch->argv[launch->argc - 1][0];
                }
                """)
        #expect(registrar.features.keys.sorted() == ["count", "first"])
        #expect(registrar.places.allSatisfy { $0.contains("eaves_register") })
        #expect(try await registrar.launch("count") == ExitCode(40))
        #expect(try await registrar.launch("count", "a", "", "c") == ExitCode(43))
        #expect(try await registrar.launch("first", "x", "A") == ExitCode(65))
    }

    /// Runs in a process of its own, which then has no mapping left.
    @Test(
        "says that the process has too many mappings, where the linker says that it failed to map",
        .promptly)
    func mappings() async throws {
        let file = try CModules.compile(
            "int32_t eaves_register(const eaves_host *host) { return 0; }", in: folder)
        await #expect(processExitsWith: .success) { [file = file as String] in
            let limit = try #require(
                Int(
                    String(
                        decoding: OpenFile(reading: "/proc/sys/vm/max_map_count")
                            .bytes(at: 0, count: 32), as: UTF8.self
                    ).filter(\.isNumber)))
            let (page, size) = (
                sysconf(Int32(_SC_PAGESIZE)), 2 * limit * sysconf(Int32(_SC_PAGESIZE))
            )
            let memory = try #require(
                mmap(nil, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
            // Each page that differs from its neighbours is a mapping of its own.
            var count = 0
            while mprotect(memory + 2 * count * page, page, PROT_READ) == 0 { count += 1 }
            try #require(errno == ENOMEM)
            // A few are left for the test, and too few for the file.
            try #require(mprotect(memory + 2 * (count - 1) * page, page, PROT_NONE) == 0)
            var error: LoadError?
            do throws(LoadError) { _ = try Loader.open(file) } catch let failure { error = failure }
            munmap(memory, size)
            guard case .exhausted(let room)? = error else {
                throw FixtureError("\(String(describing: error))")
            }
            try #require(room.kind == .mappings && room.limit == limit)
            #expect(ProcessRoom.shortage() == nil)
            _ = try Loader.open(file)
        }
    }

    @Test("an exit code that no process can have is 255", arguments: [-1, 256, 255, 0])
    func strangeCodes(code: Int) async throws {
        try load(
            """
            eaves_feature feature = {sizeof feature, "feature", 0, launch, 0};
            return host->register_feature(host, &feature);
            """,
            before: Self.launch(code))
        let expected = ExitCode(UInt8(exactly: code) ?? 255)
        #expect(try await registrar.launch("feature") == expected)
    }

    @Test("destroys a feature once, when the host drops it")
    func destroys() async throws {
        let code = """
            static int destroyed;
            static void destroy(void *state) { destroyed += *(int *)state; }
            static int32_t launch(void *state, const eaves_launch *launch) { return destroyed; }
            int32_t eaves_register(const eaves_host *host) {
                static int five = 5;
                eaves_feature feature = {sizeof feature, "feature", &five, launch, destroy};
                return host->register_feature(host, &feature);
            }
            """
        let module = try Loader.open(CModules.compile(code, in: folder))
        try module.register(in: registrar) { _ in }
        #expect(try await registrar.launch("feature") == ExitCode(0))
        registrar.drop()
        try module.register(in: registrar) { _ in }
        #expect(try await registrar.launch("feature") == ExitCode(5))
    }

    @Test("a file without an entry point is an error")
    func noEntryPoint() throws {
        let file = try CModules.compile("int something;", in: folder)
        #expect(throws: LoadError.noEntryPoint) { try Loader.open(file) }
    }

    @Test("a symbol that nobody defines is an error with its name")
    func undefinedSymbol() throws {
        let code = """
            int function_of_nobody(void);
            int32_t eaves_register(const eaves_host *host) { return function_of_nobody(); }
            """
        let file = try CModules.compile(code, in: folder)
        #expect(throws: LoadError.undefinedSymbol("function_of_nobody")) {
            try Loader.open(file)
        }
    }

    @Test("a library that is not there is an error with its name")
    func missingLibrary() throws {
        let ghost = try CModules.compile(
            "int ghost(void) { return 0; }", to: "libghost-of-loader.so", in: folder)
        let code = """
            int ghost(void);
            int32_t eaves_register(const eaves_host *host) { return ghost(); }
            """
        let file = try CModules.compile(
            code, in: folder, ["-L", folder.path, "-lghost-of-loader"])
        try Files.remove(ghost)
        #expect(throws: LoadError.missingLibrary("libghost-of-loader.so")) {
            try Loader.open(file)
        }
    }

    @Test("a file that is no shared object, or is not there, is an error without its name")
    func notLoadable() throws {
        let text = try folder.write(String(repeating: "no module", count: 1000), to: "text.so")
        #expect(throws: LoadError.notLoadable("invalid ELF header")) { try Loader.open(text) }
        let error = #expect(throws: LoadError.self) { try Loader.open(folder.file("none.so")) }
        guard case .notLoadable(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.hasPrefix("cannot open shared object file"))
    }

    @Test(
        "a module that does not register is an error with its message and code",
        arguments: [
            ("return -7;", nil, -7),
            (#"host->fail(host, "one"); host->fail(host, "two"); return 3;"#, "two", 3),
            (#"host->fail(host, "but zero"); return 0;"#, "but zero", 0),
            (#"host->fail(host, ""); return 0;"#, "", 0),
        ] as [(String, String?, Int32)])
    func refuses(body: String, message: String?, code: Int32) throws {
        #expect(throws: LoadError.refused(message: message, code: code)) { try load(body) }
    }

    @Test(
        "a feature that is not complete is refused, whatever the module returns",
        arguments: [
            ("8, \"bad\", 0, launch, 0", "eaves_feature.size: expected at least 40, found 8"),
            ("39, \"bad\", 0, launch, 0", "eaves_feature.size: expected at least 40, found 39"),
            ("sizeof feature, 0, 0, launch, 0", "eaves_feature: name is NULL"),
            ("sizeof feature, \"bad\", 0, 0, 0", "eaves_feature: launch is NULL"),
        ])
    func incompleteFeature(fields: String, message: String) throws {
        #expect(throws: LoadError.refused(message: message, code: 0)) {
            try load(
                """
                eaves_feature feature = {\(fields)};
                return host->register_feature(host, &feature) == 1 ? 0 : 9;
                """,
                before: Self.launch())
        }
        #expect(registrar.features.isEmpty)
    }

    @Test("a feature of a later header, which is larger, is taken")
    func largerFeature() async throws {
        try load(
            """
            struct { eaves_feature feature; long more; } later =
                {{sizeof later, "later", 0, launch, 0}, 1};
            return host->register_feature(host, &later.feature);
            """,
            before: Self.launch(6))
        #expect(try await registrar.launch("later") == ExitCode(6))
    }

    @Test("passes on what a module logs; an unknown level is that of information")
    func logs() throws {
        try load(
            """
            char text[] = "temporary";
            host->log(host, EAVES_LOG_DEBUG, text);
            text[0] = 'X';
            host->log(host, EAVES_LOG_INFO, "info");
            host->log(host, EAVES_LOG_WARNING, "warning");
            host->log(host, EAVES_LOG_ERROR, "error");
            host->log(host, 17, "unknown");
            return 0;
            """)
        #expect(
            registrar.messages == [
                LogMessage(level: .debug, text: "temporary"),
                LogMessage(level: .info, text: "info"),
                LogMessage(level: .warning, text: "warning"),
                LogMessage(level: .error, text: "error"),
                LogMessage(level: .info, text: "unknown"),
            ])
    }

    @Test("shows the table of this host, of a later one, and of one with an unknown ABI")
    func tables() throws {
        // The entry point returns what differs from this host, in tens and ones.
        let code = """
            int32_t eaves_register(const eaves_host *host) {
                const unsigned char *rest = (const unsigned char *)(host + 1);
                int used = 0;
                for (unsigned at = sizeof *host; at < host->size; ++at) used |= *rest++;
                if (used || !host->registrar) return 99;
                return (host->abi_version != EAVES_ABI_VERSION) * 10000
                    + (int)(host->size - sizeof *host);
            }
            """
        let module = try Loader.open(CModules.compile(code, in: folder))
        try module.register(in: registrar, shown: .current) { _ in }
        #expect(throws: LoadError.refused(message: nil, code: 64)) {
            try module.register(in: registrar, shown: .later) { _ in }
        }
        #expect(throws: LoadError.refused(message: nil, code: 10000)) {
            try module.register(in: registrar, shown: .unknown) { _ in }
        }
    }

    @Test("a host that accepts no feature says so")
    func refusingHost() throws {
        #expect(throws: LoadError.refused(message: "this host accepts no feature", code: 4)) {
            try load(
                """
                eaves_feature feature = {sizeof feature, "feature", 0, launch, 0};
                return host->register_feature(host, &feature) == 1 ? 4 : 0;
                """,
                before: Self.launch(), shown: .refusing)
        }
        #expect(registrar.features.isEmpty)
    }

    /// The linker knows a file by its device and inode, too: another file at the same path is new.
    @Test("loads a file that has taken the place of a loaded one")
    func replaced() throws {
        for code: Int32 in [11, 12] {
            #expect(throws: LoadError.refused(message: nil, code: code)) {
                let file = try CModules.compile(
                    "int32_t eaves_register(const eaves_host *host) { return \(code); }",
                    to: "number-\(code).so", in: folder)
                try registrar.load(file)
            }
        }
    }
}

@Suite("The name by which the dynamic linker gets a file", .onOwnThreads)
struct LinkerNameTests {
    @Test("leads to the same file, and is the same each time")
    func same() throws {
        let folder = try TemporaryFolder()
        for number in 0..<300 {
            let path = try folder.write("", to: "módule \(number).so")
            let name = LinkerName.of(path)
            #expect(name.hasSuffix(path))
            #expect(name == LinkerName.of(path))
            #expect(try FileStatus(path: path).inode == FileStatus(path: name).inode)
        }
    }

    @Test("differs at once from those of other files in the same folder")
    func different() {
        let beginnings = (0..<1000).map { LinkerName.of("/a/folder/module-\($0).so").prefix(16) }
        let counts = Dictionary(grouping: beginnings, by: \.self).mapValues(\.count)
        #expect(counts.count > 200)
        #expect(counts.values.allSatisfy { $0 < 20 })
    }

    @Test(
        "is the path itself if that is not absolute", arguments: ["a.so", "./a.so", "", "libm.so"])
    func relative(path: String) {
        #expect(LinkerName.of(path) == path)
    }
}

@Suite("The libraries and symbols of this process", .onOwnThreads)
struct HostLibrariesTests {
    @Test("are found if they are loaded, and are not loaded by being looked for")
    func libraries() throws {
        #expect(HostLibraries.has("libc.so.6"))
        #expect(!HostLibraries.has("libghost.so"))
        #expect(HostLibraries.loaded("libc.so.6", defines: "malloc") == true)
        #expect(HostLibraries.loaded("libc.so.6", defines: "function_of_nobody") == false)
        #expect(HostLibraries.loaded("libghost.so", defines: "malloc") == nil)
        let folder = try TemporaryFolder()
        let file = try CModules.compile("int unloaded;", in: folder)
        #expect(!HostLibraries.has(file))
        let handle = try #require(dlopen(file, RTLD_NOW | RTLD_LOCAL))
        #expect(HostLibraries.has(file))
        #expect(HostLibraries.loaded(file, defines: "unloaded") == true)
        #expect(!HostSymbols.has("unloaded"))
        dlclose(handle)
    }

    @Test("leave no message of the linker behind when they are not found")
    func clearsError() {
        _ = HostLibraries.has("libghost.so")
        #expect(dlerror() == nil)
    }

    @Test("are searched in folders that exist on this machine")
    func folders() {
        let folders = HostLibraries.folders
        #expect(folders.contains { $0.hasPrefix("/lib") || $0.hasPrefix("/usr/lib") })
    }

    @Test("has the symbols of the runtime, and names Swift's and C++'s as people write them")
    func symbols() {
        #expect(HostSymbols.has("swift_retain"))
        #expect(!HostSymbols.has("function_of_nobody"))
        #expect(SymbolName.demangled("$sSS5countSivg") == "Swift.String.count.getter : Swift.Int")
        #expect(SymbolName.demangled("_ZN7Weather4coldEi") == "Weather::cold(int)")
        #expect(SymbolName.demangled("_ZN7Weather") == "_ZN7Weather")
        #expect(SymbolName.demangled("malloc") == "malloc")
        let own = "$s4Misb7MisdeedV10strayWrite33_5A4A1E98B4A22A17E33A59C999833D6ELLyyF"
        #expect(SymbolName.demangled(own).hasPrefix("Misb.Misdeed.(strayWrite in "))
        // A type whose two parameters are the same type, whose parameters are, and so on, 20 times: 40 million characters.
        let levels = (8..<28).map {
            $0 < 26 ? "A\(Unicode.Scalar(65 + UInt8($0)))G" : "A\($0 == 26 ? "" : "0")_G"
        }
        let endless =
            "$s4main2xxAA1PVy" + String(repeating: "ADy", count: 20) + "s4Int8Vs5UInt8VG"
            + levels.joined() + "vg"
        #expect(SymbolName.demangled(endless) == endless)
        #expect(
            SymbolName.demangled("$s4main2xxAA1PVyADys4Int8Vs5UInt8VGAIGvg").hasPrefix(
                "main.xx.getter"))
        let long = "_Z5000" + String(repeating: "x", count: 5_000) + "v"
        #expect(SymbolName.demangled(long) == long)
    }
}
