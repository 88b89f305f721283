// swift-tools-version: 6.2
// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// Modules bind their interface symbols to the host's, so whatever loads them exports its own.
/// The run path is an RPATH, not a RUNPATH, so that a module which names no place of its own still
/// finds the Swift libraries where the host found them.
let loadsModules: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "--export-dynamic", "-Xlinker", "--disable-new-dtags"])
]

/// Without the library of regular expressions, which Swift imports unasked: every start of a program
/// would load it, and another one that it needs, for nothing.
let startsQuickly: [SwiftSetting] = [
    .unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])
]

/// The index that editors read has the code of this package, and not that of the system: the compiler would
/// write the system's again in each of its processes, which takes a third of a build's time.
let indexesOwnCode: [SwiftSetting] = [
    .unsafeFlags(["-index-ignore-system-modules", "-Xfrontend", "-index-ignore-clang-modules"])
]

/// Without the mangled names by which code asks for generic types: at each start, the runtime would parse
/// those that the program comes by, and search all conformances of the process for them. Where the type is
/// known already, a name takes a few instructions less, so the targets of ``resolvesQuickly`` keep them.
let asksForTypesQuickly: [SwiftSetting] = [
    .unsafeFlags(
        ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"],
        .when(configuration: .release))
]

/// In release builds, the optimiser works on what is tested, and not on the tests themselves: that would take as long
/// again, and show nothing.
let notOptimised: [SwiftSetting] = [
    .unsafeFlags(["-Onone"], .when(configuration: .release))
]

/// The tests into which the compiler puts code of the interface, as it does with modules.
let testsOfInlinedCode: Set = ["EavesRegistryTests"]

/// The targets whose code a resolution runs.
let resolvesQuickly: Set = ["EavesInterface", "EavesRegistry"]

/// A module binary built against this interface must run in later hosts: library evolution.
/// The textual interface is what `eaves build` compares to see that a module is stale.
let evolvesWithoutRebuild: [SwiftSetting] = [
    .unsafeFlags([
        "-enable-library-evolution",
        "-emit-module-interface", "-no-verify-emitted-module-interface",
    ])
]

/// A floor of the house: a folder of `Sources`, and the rooms in it.
struct Floor {
    let folder: String
    let rooms: [Target]

    init(_ folder: String, _ rooms: [Target]) {
        self.folder = folder
        self.rooms = rooms
        for room in rooms { room.path = "Sources/\(folder)/\(room.name)" }
    }
}

/// The rooms and what each of them may import, from the ground up.
let floors = [
    // All that modules and hosts share.
    Floor(
        "Contract",
        [
            .target(name: "CEaves"),
            .target(
                name: "EavesInterface", dependencies: ["CEaves"], exclude: ["ABI"],
                swiftSettings: evolvesWithoutRebuild),
        ]),
    // All that the others stand on: the system, and words.
    Floor(
        "Ground",
        [
            .target(name: "CEavesCrashReport"),
            .target(name: "CEavesHotRestart", dependencies: ["CEavesLocalSocket"]),
            .target(name: "CEavesLineEditor"),
            .target(name: "CEavesLocalSocket"),
            .target(name: "CEavesReadSections"),
            // Optimised in debug builds, too: there modules are digested as well.
            .target(name: "CEavesSHA256", cSettings: [.unsafeFlags(["-O2"])]),
            // A keeper runs in its caller's memory, where nothing that a compiler adds may act for it.
            .target(
                name: "CEavesSupervisor", dependencies: ["CEavesWall"],
                cSettings: [
                    .unsafeFlags(["-fno-builtin", "-fno-sanitize=all", "-fno-stack-protector"])
                ]),
            .systemLibrary(name: "CEavesSystem"),
            .target(name: "CEavesWall"),
            .target(name: "EavesDiagnostics"),
            .target(name: "EavesJSON", dependencies: ["EavesDiagnostics"]),
            .target(
                name: "EavesSystem",
                dependencies: [
                    "CEavesLocalSocket", "CEavesSHA256", "CEavesSystem", "EavesDiagnostics",
                ]),
            .target(
                name: "EavesProcess",
                dependencies: [
                    "CEavesHotRestart", "CEavesSupervisor", "CEavesSystem", "EavesDiagnostics",
                    "EavesInterface", "EavesSystem",
                ]),
            .target(name: "EavesWatch", dependencies: ["EavesSystem"]),
        ]),
    // All that is known of modules before their code runs.
    Floor(
        "Knowledge",
        [
            .target(
                name: "EavesELF", dependencies: ["EavesDiagnostics", "EavesJSON", "EavesSystem"]),
            .target(
                name: "EavesTrust",
                dependencies: ["EavesDiagnostics", "EavesJSON", "EavesProcess", "EavesSystem"]),
            .target(
                name: "EavesManifest",
                dependencies: ["EavesDiagnostics", "EavesJSON", "EavesSystem", "EavesTrust"]),
            .target(
                name: "EavesQuarantine",
                dependencies: [
                    "EavesDiagnostics", "EavesJSON", "EavesProcess", "EavesSystem", "EavesTrust",
                ]),
            .target(
                name: "EavesDeclaration",
                dependencies: [
                    "EavesDiagnostics", "EavesELF", "EavesJSON", "EavesManifest", "EavesSystem",
                ]),
            .target(
                name: "EavesCatalog",
                dependencies: [
                    "EavesDeclaration", "EavesDiagnostics", "EavesELF", "EavesJSON",
                    "EavesManifest", "EavesQuarantine", "EavesSystem", "EavesTrust",
                ]),
        ]),
    // All that loads modules, and lets them run.
    Floor(
        "Running",
        [
            .target(
                name: "EavesRegistry",
                dependencies: [
                    "CEavesReadSections", "EavesDiagnostics", "EavesInterface", "EavesJSON",
                ]
            ),
            .target(
                name: "EavesLoader",
                dependencies: [
                    "CEavesCrashReport", "CEaves", "CEavesSystem", "EavesDeclaration",
                    "EavesDiagnostics",
                    "EavesELF", "EavesInterface", "EavesSystem", "EavesTrust",
                ]),
            .target(
                name: "EavesWorker",
                dependencies: [
                    "CEaves", "CEavesSystem", "CEavesWall", "EavesDeclaration", "EavesDiagnostics",
                    "EavesELF", "EavesInterface", "EavesJSON", "EavesLoader", "EavesManifest",
                    "EavesProcess", "EavesRegistry", "EavesSystem",
                ]),
            .target(
                name: "EavesRules",
                dependencies: [
                    "EavesCatalog", "EavesDeclaration", "EavesDiagnostics", "EavesELF",
                    "EavesLoader", "EavesManifest", "EavesSystem", "EavesTrust",
                ]),
            .target(
                name: "EavesLife",
                dependencies: [
                    "EavesCatalog", "EavesDeclaration", "EavesDiagnostics",
                    "EavesELF", "EavesInterface", "EavesJSON", "EavesLoader", "EavesManifest",
                    "EavesQuarantine", "EavesRegistry", "EavesRules", "EavesSystem", "EavesTrust",
                ]),
            .target(
                name: "EavesModules",
                dependencies: [
                    "CEaves", "EavesCatalog", "EavesDeclaration", "EavesDiagnostics", "EavesELF",
                    "EavesInterface", "EavesJSON", "EavesLife", "EavesLoader", "EavesManifest",
                    "EavesProcess", "EavesQuarantine", "EavesRegistry", "EavesRules",
                    "EavesSystem", "EavesTrust", "EavesWorker",
                ]),
            .target(
                name: "EavesHost",
                dependencies: [
                    "EavesCatalog", "EavesDeclaration", "EavesDiagnostics", "EavesELF",
                    "EavesInterface", "EavesJSON", "EavesLife",
                    "EavesLoader", "EavesManifest", "EavesModules", "EavesProcess",
                    "EavesQuarantine", "EavesRegistry", "EavesRules", "EavesSystem", "EavesTrust",
                    "EavesWatch", "EavesWorker",
                ],
                // They reach every program that depends on this target, so that it need not name them.
                linkerSettings: loadsModules),
        ]),
    // All that makes modules of sources. It stands above what runs them: a host compiles without it.
    Floor(
        "Building",
        [
            .target(
                name: "EavesCode",
                dependencies: [
                    "EavesDeclaration", "EavesDiagnostics", "EavesJSON", "EavesSystem",
                ]),
            .target(
                name: "EavesCompiler",
                dependencies: [
                    "EavesCode", "EavesDeclaration", "EavesDiagnostics", "EavesELF", "EavesJSON",
                    "EavesProcess", "EavesSystem", "EavesTrust",
                ]),
            .target(
                name: "EavesBuild",
                dependencies: [
                    "EavesCode", "EavesCompiler", "EavesDeclaration", "EavesDiagnostics",
                    "EavesELF", "EavesJSON", "EavesProcess", "EavesSystem", "EavesTrust",
                ]),
            .target(
                name: "EavesReview",
                dependencies: [
                    "EavesBuild", "EavesCode", "EavesDeclaration", "EavesDiagnostics", "EavesJSON",
                    "EavesSystem", "EavesTrust",
                ]),
            .target(
                name: "EavesTemplates",
                dependencies: [
                    "EavesBuild", "EavesDeclaration", "EavesDiagnostics", "EavesJSON",
                    "EavesManifest", "EavesSystem",
                ]),
            .target(
                name: "EavesSources",
                dependencies: [
                    "EavesBuild", "EavesCatalog", "EavesCompiler", "EavesDeclaration",
                    "EavesDiagnostics", "EavesHost", "EavesLife", "EavesManifest", "EavesModules",
                    "EavesRules", "EavesSystem", "EavesTrust",
                ]),
        ]),
    // All that looks at modules, and at the whole of them.
    Floor(
        "Checking",
        [
            .target(
                name: "EavesGraph",
                dependencies: [
                    "EavesCatalog", "EavesDeclaration", "EavesDiagnostics", "EavesELF",
                    "EavesJSON", "EavesLoader", "EavesManifest", "EavesProcess", "EavesSystem",
                    "EavesTrust",
                ]),
            .target(
                name: "EavesVerify",
                dependencies: [
                    "CEavesSystem", "EavesCatalog", "EavesDeclaration", "EavesDiagnostics",
                    "EavesELF",
                    "EavesHost", "EavesInterface", "EavesJSON", "EavesLoader", "EavesManifest",
                    "EavesModules",
                    "EavesProcess", "EavesQuarantine", "EavesRegistry", "EavesRules",
                    "EavesSystem", "EavesTrust", "EavesWorker",
                ]),
            .target(
                name: "EavesTesting",
                dependencies: [
                    "EavesDiagnostics", "EavesHost", "EavesInterface", "EavesLoader",
                    "EavesManifest", "EavesModules", "EavesRegistry", "EavesSystem",
                ]),
        ]),
    // All that people type.
    Floor(
        "Command",
        [
            .target(
                name: "EavesOutput",
                dependencies: [
                    "CEavesSystem", "EavesBuild", "EavesCatalog", "EavesDeclaration",
                    "EavesDiagnostics", "EavesHost", "EavesInterface", "EavesJSON",
                    "EavesManifest", "EavesProcess", "EavesSystem", "EavesTrust",
                ]),
            .target(
                name: "EavesCLI",
                dependencies: [
                    "CEaves", "CEavesLineEditor", "CEavesSystem", "EavesBuild", "EavesCatalog",
                    "EavesCode", "EavesCompiler",
                    "EavesDeclaration", "EavesDiagnostics", "EavesELF", "EavesGraph", "EavesHost",
                    "EavesInterface", "EavesJSON", "EavesManifest", "EavesModules", "EavesOutput",
                    "EavesProcess",
                    "EavesQuarantine", "EavesReview", "EavesSources", "EavesSystem",
                    "EavesTemplates",
                    "EavesTrust", "EavesVerify", "EavesWatch", "EavesWorker",
                ]),
            .executableTarget(name: "eaves", dependencies: ["EavesCLI"]),
        ]),
]
let stages = floors.flatMap(\.rooms)

// A room stands on rooms of its own floor, and of those below it.
var roomsBelow: Set<String> = []
for floor in floors {
    roomsBelow.formUnion(floor.rooms.map(\.name))
    for room in floor.rooms {
        for case .byNameItem(let other, _) in room.dependencies where !roomsBelow.contains(other) {
            fatalError("\(room.name) stands on \(other), which is on a higher floor")
        }
    }
}

/// Every folder of `Plugins/` is also a target, so that `swift build` checks it, editors understand
/// it and tests reach inside. The `.so` files come from `eaves build` alone.
let plugins: [Target] =
    interfaceModules([
        "Common": ["EavesInterface"], "LoginInterface": [], "ProfileInterface": ["CommonInterface"],
        "TrackingInterface": [], "Utility": [],
    ])
    + modules([
        "Analytics": [],
        "Composition": ["LoginInterface", "ProfileInterface", "TrackingInterface"],
        "EventsPrint": [], "Home": ["Utility"], "Login": ["LoginInterface"], "Navigation": [],
        "PopUp": [],
        "Profile": ["ProfileInterface", "Utility"], "Register": [], "RendererPlain": [],
        "Tracking": ["TrackingInterface"], "Users": [], "UsersMemory": [], "UsersREST": [],
        "UsersServer": [], "UsersV2": [],
    ])
    + [
        .systemLibrary(name: "CSQLite", path: "Plugins/UsersSQLite/CSQLite"),
        .target(
            name: "UsersSQLite", dependencies: ["CSQLite", "CommonInterface", "EavesInterface"],
            path: "Plugins/UsersSQLite", exclude: ["CSQLite", "module.json"],
            // The file that programs have: one that is called libsqlite3.so comes with the headers alone.
            linkerSettings: [.unsafeFlags(["-Xlinker", "-l:libsqlite3.so.0"])]),
        // The libraries by the names of their files, because the packages for development that have
        // libncursesw.so need not be there. ncurses itself is in two files.
        .target(
            name: "CTerminal", path: "Plugins/RendererTerminal/CTerminal", publicHeadersPath: ".",
            linkerSettings: [
                .linkedLibrary(":libncursesw.so.6"), .linkedLibrary(":libtinfo.so.6"),
            ]),
        .target(
            name: "RendererTerminal",
            dependencies: ["CTerminal", "CommonInterface", "EavesInterface", "Utility"],
            path: "Plugins/RendererTerminal", exclude: ["CTerminal", "module.json"]),
        // Only the `.so` is linked to the library, so that the package needs none.
        .systemLibrary(name: "CMicroHTTPD", path: "Plugins/RendererWeb/CMicroHTTPD"),
        .target(
            name: "RendererWeb",
            dependencies: ["CMicroHTTPD", "CommonInterface", "EavesInterface"],
            path: "Plugins/RendererWeb", exclude: ["CMicroHTTPD", "module.json"],
            swiftSettings: [.unsafeFlags(["-Xcc", "-DEAVES_WITHOUT_MICROHTTPD"])]),
    ]

/// Interface modules by folder, with the targets that they import.
func interfaceModules(_ folders: [String: [Target.Dependency]]) -> [Target] {
    folders.map { folder, dependencies in
        .target(
            name: folder == "Common" ? "CommonInterface" : folder, dependencies: dependencies,
            path: "Plugins/\(folder)",
            exclude: ["baseline.json", "module.json"],
            swiftSettings: evolvesWithoutRebuild)
    }
}

/// Modules by folder, with the interface modules that they import besides the common one.
func modules(_ folders: [String: [Target.Dependency]]) -> [Target] {
    folders.map { folder, interfaces in
        .target(
            name: folder, dependencies: ["CommonInterface", "EavesInterface"] + interfaces,
            path: "Plugins/\(folder)", exclude: ["module.json"])
    }
}

/// Beside the other benchmarks, but of this package: it measures what is not public.
let benchmarks: [Target] = [
    .target(
        name: "ReadingAPI", path: "Benchmarks/Sources/ReadingAPI",
        swiftSettings: evolvesWithoutRebuild),
    .executableTarget(
        name: "RegistryBenchmark",
        dependencies: ["EavesInterface", "EavesRegistry", "ReadingAPI"],
        path: "Benchmarks/Sources/RegistryBenchmark", linkerSettings: loadsModules),
    .executableTarget(
        name: "LoadBenchmark",
        dependencies: [
            "EavesCatalog", "EavesDeclaration", "EavesELF", "EavesInterface", "EavesLoader",
            "EavesRegistry", "EavesTrust",
        ],
        path: "Benchmarks/Sources/LoadBenchmark", linkerSettings: loadsModules),
]

/// What `Fuzzing/run` links with libFuzzer. Here it is only compiled, so that it stays true.
let fuzzing: [Target] = [
    .systemLibrary(name: "CFuzzer", path: "Fuzzing/CFuzzer"),
    .target(
        name: "Fuzzing",
        dependencies: [
            "CFuzzer", "EavesCatalog", "EavesDeclaration", "EavesDiagnostics", "EavesELF",
            "EavesInterface", "EavesJSON", "EavesManifest", "EavesSystem",
        ],
        path: "Fuzzing/Sources"),
]

/// What `.ci/api` makes the page of the interface's API with.
let documentation: [Target] = [
    .executableTarget(
        name: "APIPage", dependencies: ["EavesJSON", "EavesSystem"],
        path: "Documentation/APIPage")
]

/// Tests that run `eaves` with real modules. They are several targets, which the compiler works on at once.
func endToEnd(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies + [
            "EavesProcess", "EavesSystem", "EavesTestSupport", "EndToEndSupport", "eaves",
        ])
}

let tests: [Target] = [
    // Shared by test targets: temporary folders, C compilers, binaries, damage, child processes.
    .target(
        name: "EavesTestSupport",
        dependencies: [
            "CEavesSystem", "EavesDeclaration", "EavesELF", "EavesJSON", "EavesProcess",
            "EavesSystem",
        ],
        path: "Tests/Support"),
    // Shared by the tests of building and reviewing: hosts, folders of sources, compilers.
    .target(
        name: "EavesBuildTestSupport",
        dependencies: [
            "EavesBuild", "EavesCompiler", "EavesDeclaration", "EavesELF", "EavesProcess",
            "EavesSystem",
            "EavesTestSupport",
        ],
        path: "Tests/BuildSupport"),
    .testTarget(
        name: "EavesInterfaceTests",
        dependencies: ["CommonInterface", "CEaves", "EavesInterface", "EavesTestSupport"]),
    .testTarget(name: "EavesDiagnosticsTests", dependencies: ["EavesDiagnostics"]),
    .testTarget(
        name: "EavesSystemTests",
        dependencies: ["EavesDiagnostics", "EavesProcess", "EavesSystem", "EavesTestSupport"]),
    .testTarget(
        name: "EavesProcessTests",
        dependencies: [
            "EavesDiagnostics", "EavesInterface", "EavesProcess", "EavesSystem",
            "EavesTestSupport",
        ]),
    .testTarget(
        name: "EavesWatchTests",
        dependencies: ["EavesDiagnostics", "EavesSystem", "EavesTestSupport", "EavesWatch"]),
    .testTarget(name: "EavesJSONTests", dependencies: ["EavesJSON", "EavesTestSupport"]),
    .testTarget(
        name: "EavesManifestTests",
        dependencies: [
            "EavesDiagnostics", "EavesJSON", "EavesManifest", "EavesSystem", "EavesTestSupport",
            "EavesTrust",
        ]),
    .testTarget(
        name: "EavesELFTests", dependencies: ["EavesELF", "EavesSystem", "EavesTestSupport"]),
    .testTarget(
        name: "EavesTrustTests",
        dependencies: [
            "CEavesSystem", "EavesDiagnostics", "EavesProcess", "EavesSystem", "EavesTestSupport",
            "EavesTrust",
        ]),
    .testTarget(
        name: "EavesQuarantineTests",
        dependencies: [
            "EavesDiagnostics", "EavesJSON", "EavesQuarantine", "EavesSystem", "EavesTestSupport",
            "EavesTrust",
        ]),
    .testTarget(
        name: "EavesDeclarationTests",
        dependencies: [
            "EavesDeclaration", "EavesDiagnostics", "EavesELF", "EavesJSON", "EavesSystem",
            "EavesTestSupport",
        ]),
    .testTarget(
        name: "EavesCatalogTests",
        dependencies: [
            "EavesCatalog", "EavesDeclaration", "EavesDiagnostics", "EavesELF", "EavesJSON",
            "EavesManifest", "EavesQuarantine", "EavesSystem", "EavesTestSupport", "EavesTrust",
        ]),
    .testTarget(
        name: "EavesRegistryTests",
        dependencies: [
            "EavesDiagnostics", "EavesInterface", "EavesJSON", "EavesRegistry", "EavesTestSupport",
        ]),
    .testTarget(
        name: "EavesLoaderTests",
        dependencies: [
            "EavesDiagnostics", "EavesInterface", "EavesLoader", "EavesProcess", "EavesSystem",
            "EavesTestSupport", "EavesTrust",
        ]),
    .testTarget(
        name: "EavesBuildTests",
        dependencies: [
            "EavesBuild", "EavesBuildTestSupport", "EavesCode", "EavesCompiler", "EavesDeclaration",
            "EavesDiagnostics",
            "EavesELF", "EavesProcess", "EavesSystem", "EavesTestSupport", "EavesTrust",
        ]),
    .testTarget(
        name: "EavesReviewTests",
        dependencies: [
            "EavesBuild", "EavesBuildTestSupport", "EavesDeclaration", "EavesDiagnostics",
            "EavesReview", "EavesSystem", "EavesTestSupport",
        ]),
    .testTarget(
        name: "EavesRulesTests",
        dependencies: [
            "EavesCatalog", "EavesDeclaration", "EavesDiagnostics", "EavesELF", "EavesInterface",
            "EavesJSON", "EavesLoader", "EavesManifest", "EavesQuarantine", "EavesRules",
            "EavesSystem", "EavesTestSupport", "EavesTrust",
        ],
        linkerSettings: loadsModules),
    .testTarget(
        name: "EavesGraphTests",
        dependencies: [
            "EavesCatalog", "EavesDeclaration", "EavesDiagnostics", "EavesELF", "EavesGraph",
            "EavesHost", "EavesJSON", "EavesManifest", "EavesProcess",
            "EavesSystem",
            "EavesTestSupport",
            "EavesTrust",
        ]),
    .testTarget(
        name: "EavesLifeTests",
        dependencies: [
            "EavesCatalog", "EavesDeclaration", "EavesDiagnostics", "EavesELF", "EavesInterface",
            "EavesLife", "EavesManifest", "EavesModules", "EavesQuarantine",
            "EavesRegistry", "EavesSystem", "EavesTestSupport", "EavesTrust",
        ]),
    .testTarget(
        name: "EavesHostTests",
        dependencies: [
            "CommonInterface",
            "CEaves", "EavesCatalog", "EavesDeclaration", "EavesDiagnostics", "EavesELF",
            "EavesHost", "EavesInterface", "EavesJSON", "EavesLife", "EavesLoader",
            "EavesManifest", "EavesModules", "EavesQuarantine", "EavesRegistry",
            "EavesRules", "EavesSources", "EavesSystem",
            "EavesTestSupport",
            "EavesTrust",
        ],
        linkerSettings: loadsModules),
    .testTarget(
        name: "EavesWorkerTests",
        dependencies: [
            "CEavesSystem", "EavesInterface", "EavesJSON", "EavesLoader", "EavesManifest",
            "EavesProcess", "EavesSystem", "EavesTestSupport", "EavesWorker",
        ],
        exclude: ["Fixtures"], linkerSettings: loadsModules),
    .testTarget(
        name: "EavesVerifyTests",
        dependencies: [
            "EavesCatalog", "EavesDeclaration", "EavesDiagnostics", "EavesELF", "EavesJSON",
            "EavesManifest", "EavesProcess", "EavesRules", "EavesSystem", "EavesTestSupport",
            "EavesVerify", "EavesWorker",
        ]),
    .testTarget(
        name: "EavesCLITests",
        dependencies: [
            "CommonInterface",
            "EavesBuild", "EavesCLI", "EavesCatalog", "EavesCompiler", "EavesDiagnostics",
            "EavesHost",
            "EavesInterface", "EavesLoader", "EavesManifest", "EavesModules",
            "EavesOutput", "EavesProcess", "EavesSources",
            "EavesSystem",
            "EavesTestSupport",
        ]),
    .testTarget(
        name: "PluginTests",
        dependencies: [
            "Analytics", "CommonInterface", "Composition", "EavesInterface", "EavesTestSupport",
            "EavesTesting", "Home",
            "Login", "LoginInterface", "Navigation", "PopUp", "Profile", "ProfileInterface",
            "Register", "RendererPlain", "RendererTerminal", "RendererWeb", "EventsPrint",
            "Tracking",
            "TrackingInterface", "Users", "UsersMemory", "UsersREST", "UsersSQLite", "UsersServer",
            "UsersV2", "Utility",
        ]),
    // The contract of the services of users, with all implementations as real modules.
    .testTarget(
        name: "UserServiceTests",
        dependencies: [
            "CommonInterface", "EavesInterface", "EavesProcess", "EavesSystem", "EavesTestSupport",
            "EavesTesting",
            "UsersSQLite", "eaves",
        ],
        linkerSettings: loadsModules),
    .testTarget(
        name: "EavesTestingTests",
        dependencies: [
            "CommonInterface", "EavesInterface", "EavesTestSupport", "EavesTesting",
        ],
        // A module that the tests build.
        exclude: ["Greeter"], linkerSettings: loadsModules),
    // Shared by the tests of the command with real modules and processes: workspaces, terminals, modules.
    .target(
        name: "EndToEndSupport",
        dependencies: ["EavesJSON", "EavesProcess", "EavesSystem", "EavesTestSupport"],
        path: "Tests/EndToEndSupport"),
    endToEnd("EndToEndTests", ["EavesBuild", "EavesCatalog", "EavesCompiler", "EavesJSON"]),
    endToEnd("EndToEndApplicationTests", []),
    endToEnd(
        "EndToEndBuildTests",
        [
            "EavesBuild", "EavesCompiler", "EavesDeclaration", "EavesInterface", "EavesLoader",
            "EavesRegistry",
        ]),
    endToEnd("EndToEndLiveTests", ["EavesJSON"]),
    endToEnd("EndToEndTrustTests", ["EavesCatalog", "EavesDeclaration", "EavesELF"]),
    .testTarget(
        name: "DocumentationTests",
        dependencies: ["EavesProcess", "EavesSystem", "EavesTestSupport", "eaves"]),
    // Runs the programs of `Tests/Stranger`, a package of its own, if they are built.
    .testTarget(
        name: "StrangerTests",
        dependencies: ["EavesProcess", "EavesSystem", "EavesTestSupport", "eaves"]),
]

let package = Package(
    name: "Eaves",
    products: [
        .executable(name: "eaves", targets: ["eaves"]),
        .library(name: "EavesInterface", targets: ["EavesInterface", "CEaves"]),
        .library(name: "EavesHost", targets: ["EavesHost", "EavesInterface", "CEaves"]),
        .library(name: "EavesSources", targets: ["EavesSources"]),
        .library(name: "EavesVerify", targets: ["EavesVerify"]),
        .library(
            name: "EavesCLI", targets: ["EavesCLI", "EavesHost", "EavesInterface", "CEaves"]),
        .library(name: "EavesTesting", targets: ["EavesTesting"]),
    ],
    targets: stages + plugins + benchmarks + fuzzing + documentation + tests,
    swiftLanguageModes: [.v6]
)

/// The names of some targets, and of those among all that they need.
func closure(of names: some Sequence<String>, in all: [Target]) -> Set<String> {
    var found: Set<String> = []
    var waiting = Set(names)
    while let name = waiting.popFirst() {
        guard found.insert(name).inserted else { continue }
        for target in all where target.name == name {
            for case .byNameItem(let other, _) in target.dependencies { waiting.insert(other) }
        }
    }
    return found
}

// With `EAVES_TARGETS`, the package has the targets that it names between commas, and what these need. The gate
// compiles some tests a second time, for the thread sanitizer and optimised.
if let chosen = Context.environment["EAVES_TARGETS"] {
    let names = closure(of: chosen.split(separator: ",").map(String.init), in: package.targets)
    package.targets.removeAll { !names.contains($0.name) }
    package.products = []
}

// The settings that every target has.
for target in package.targets where !target.name.hasPrefix("C") {
    var settings = (target.swiftSettings ?? []) + indexesOwnCode
    if target.isTest {
        if !testsOfInlinedCode.contains(target.name) { settings += notOptimised }
    } else {
        settings += startsQuickly
        if !resolvesQuickly.contains(target.name) { settings += asksForTypesQuickly }
    }
    settings.append(.enableUpcomingFeature("ExistentialAny"))
    settings.append(.enableUpcomingFeature("InternalImportsByDefault"))
    settings.append(.enableUpcomingFeature("MemberImportVisibility"))
    target.swiftSettings = settings
}
