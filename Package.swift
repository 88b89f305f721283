// swift-tools-version: 6.2
// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// Modules bind their interface symbols to those of the host, which therefore exports them. The run path is an RPATH,
/// not a RUNPATH, so that a module without one finds the Swift libraries where the host found them.
let loadsModules: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "--export-dynamic", "-Xlinker", "--disable-new-dtags"])
]

/// Leaves out the library of regular expressions, which Swift imports unasked and each start of a program would load. The
/// linker can leave out each function by itself, or put it in order.
let startsQuickly: [SwiftSetting] = [
    .unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"]),
    .unsafeFlags(["-Xfrontend", "-function-sections"], .when(configuration: .release)),
]

let baselines = Context.packageDirectory + "/Baselines"
/// The command exports the interface alone, and the functions that a launch runs lie side by side if the toolchain's own
/// linker makes a release build.
let launchesQuickly: [LinkerSetting] = [
    .unsafeFlags(["-Xlinker", "--version-script=\(baselines)/exports.map"]),
    .unsafeFlags(
        ["-use-ld=lld", "-Xlinker", "-T\(baselines)/launch.ld"], .when(configuration: .release)),
]

/// Leaves the system's code out of the index that editors read: each process of the compiler would write it again, which
/// takes a third of a build's time.
let buildsQuickly: [SwiftSetting] = [
    .unsafeFlags(["-index-ignore-system-modules", "-Xfrontend", "-index-ignore-clang-modules"])
]

/// Compiles all files of a target in one process, since each further one would read the same again: a seventh of a
/// build's time. Rooms that no other one is compiled next to take two: the product is built in 110 s, not in 129.
func batches(of target: String) -> SwiftSetting {
    let alone = "CLI Declaration Host Isolation Life Manifest Modules Verify".split(separator: " ")
    let count = alone.contains { target == "Eaves\($0)" } ? "2" : "1"
    return .unsafeFlags(["-driver-batch-count", count], .when(configuration: .debug))
}

/// Asks for generic types without their mangled names: at each start, the runtime would parse those that the program
/// comes by, and search all conformances of the process for them. Where the type is known already, a name takes a few
/// instructions less, so the targets of ``resolvesQuickly`` keep them.
let asksForTypesQuickly: [SwiftSetting] = [
    .unsafeFlags(
        ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"],
        .when(configuration: .release))
]

/// Keeps the optimiser of release builds to the code that is tested: for the tests, it would take as long again.
let notOptimised: [SwiftSetting] = [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// The tests into which the compiler puts code of the interface, as it does with modules.
let testsOfInlinedCode: Set = ["EavesRegistryTests"]

/// The targets whose code a resolution runs.
let resolvesQuickly: Set = ["EavesInterface"]

/// Library evolution, because a module that is built against an interface runs in later hosts, and the textual
/// interface, in which `eaves build` sees that a module is stale.
let evolvesWithoutRebuild: [SwiftSetting] = [
    .unsafeFlags([
        "-enable-library-evolution", "-emit-module-interface",
        "-no-verify-emitted-module-interface",
    ])
]

/// The rooms by floor, which is a folder of `Sources`, from the ground up, and the earlier rooms that each stands on. A
/// room may import these, and all that they stand on in turn.
let floors: KeyValuePairs<String, KeyValuePairs<String, [String]>> = [
    // The contract that modules and hosts share.
    "Contract": [
        "CEaves": [],
        "EavesInterface": ["CEaves"],
    ],
    // The system and words, on which all other floors stand.
    "Ground": [
        "CEavesNative": [],
        "CEavesChild": ["CEavesNative"],
        "CEavesSystem": [],
        "EavesDiagnostics": [],
        "EavesJSON": ["EavesDiagnostics"],
        "EavesSystem": ["CEavesNative", "CEavesSystem", "EavesDiagnostics"],
        "EavesProcess": ["EavesInterface", "EavesSystem"],
        "EavesChild": ["CEavesChild", "EavesProcess"],
    ],
    // Everything known about modules before their code runs.
    "Knowledge": [
        "EavesELF": ["EavesJSON", "EavesSystem"],
        "EavesTrust": ["EavesJSON", "EavesProcess"],
        "EavesManifest": ["EavesTrust"],
        "EavesQuarantine": ["EavesTrust"],
        "EavesDeclaration": ["EavesELF", "EavesManifest"],
        "EavesCatalog": ["EavesDeclaration", "EavesQuarantine"],
    ],
    // The rooms that load modules, and let them run.
    "Running": [
        "EavesRegistry": ["CEavesNative", "EavesInterface", "EavesJSON", "EavesSystem"],
        "EavesLoader": ["EavesDeclaration"],
        "EavesRules": ["EavesCatalog", "EavesLoader"],
        "EavesLife": ["EavesRegistry", "EavesRules"],
        "EavesModules": ["EavesLife"],
        "EavesHost": ["EavesModules"],
        // Modules in processes of their own, for programs that have some.
        "EavesIsolation": ["EavesChild", "EavesHost"],
        "EavesRestart": ["CEavesChild", "EavesHost"],
    ],
    // The rooms that build modules from sources. They stand above the host, which compiles without them.
    "Building": [
        "EavesCode": ["EavesDeclaration"],
        "EavesCompiler": ["EavesChild", "EavesCode"],
        "EavesBuild": ["EavesCompiler"],
        "EavesReview": ["EavesBuild"],
        "EavesTemplates": ["EavesBuild"],
        "EavesSources": ["EavesBuild", "EavesHost"],
    ],
    // The rooms that look at modules, one by one and all together.
    "Checking": [
        "EavesGraph": ["EavesCatalog", "EavesLoader", "EavesChild"],
        "EavesVerify": ["EavesIsolation"],
        "EavesTesting": ["EavesHost"],
    ],
    // The command that people type.
    "Command": [
        "EavesOutput": ["EavesBuild", "EavesRestart"],
        "EavesCLI": [
            "EavesGraph", "EavesOutput", "EavesReview", "EavesSources",
            "EavesTemplates", "EavesVerify",
        ],
        "eaves": ["EavesCLI"],
    ],
]

/// The rooms as targets.
var rooms: [Target] = []
for (floor, plan) in floors {
    for (name, names) in plan {
        for other in names where !rooms.contains(where: { $0.name == other }) {
            fatalError("\(name) stands on \(other), which is not among the rooms before it")
        }
        let below = dependencies(on: names, in: rooms)
        rooms.append(room(name, on: below, at: "Sources/\(floor)/\(name)"))
    }
}

/// A room, with what is particular to it.
func room(_ name: String, on dependencies: [Target.Dependency], at path: String) -> Target {
    if name == "CEavesSystem" { return .systemLibrary(name: name, path: path) }
    if name == "eaves" {
        return .executableTarget(
            name: name, dependencies: dependencies, path: path, linkerSettings: launchesQuickly)
    }
    let target = Target.target(name: name, dependencies: dependencies, path: path)
    // Exports no names: modules, and the libraries that they bring along, may have functions of the same ones.
    var flags = name.hasPrefix("C") ? ["-fvisibility=hidden"] : []
    switch name {
    // Optimised in debug builds, too: there modules are digested as well.
    case "CEavesNative": flags += ["-O2"]
    // A guardian runs in its caller's memory, where nothing that a compiler adds may act for it.
    case "CEavesChild": flags += ["-fno-builtin", "-fno-sanitize=all", "-fno-stack-protector"]
    case "EavesInterface": target.swiftSettings = evolvesWithoutRebuild
    // These settings reach each program that depends on this target, so that it need not name them.
    case "EavesHost": target.linkerSettings = loadsModules
    default: break
    }
    if !flags.isEmpty { target.cSettings = [.unsafeFlags(flags)] }
    return target
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

/// The rooms that other rooms' tests test. Each other room has tests in `Tests/<room>Tests`.
let testedElsewhere: Set = [
    "EavesCode", "EavesCompiler", "EavesModules", "EavesOutput", "EavesSources", "EavesTemplates",
    "eaves",
]

let endToEnd = ["EndToEndSupport", "eaves"]

/// The other folders of tests, and more that those of rooms test.
let tested = [
    "DocumentationTests": ["eaves"], "EavesBuildTests": ["EavesBuildTestSupport"],
    "EavesCLITests": ["CommonInterface"], "EavesGraphTests": ["EavesHost"],
    "EavesHostTests": ["CommonInterface", "EavesSources"],
    "EavesInterfaceTests": ["CommonInterface"],
    "EavesLifeTests": ["EavesModules"], "EavesReviewTests": ["EavesBuildTestSupport"],
    "EavesTestingTests": ["CommonInterface"],
    // They run `eaves` with real modules. They are several, which the compiler works on at once.
    "EndToEndTests": endToEnd, "EndToEndApplicationTests": endToEnd, "EndToEndBuildTests": endToEnd,
    "EndToEndLiveTests": endToEnd, "EndToEndTrustTests": endToEnd,
    "PluginTests": ["EavesTesting"] + plugins.filter { $0.type == .regular }.map(\.name),
    // Runs the programs of `Tests/Stranger`, a package of its own, if they are built.
    "StrangerTests": ["eaves"],
    // The contract of the services of users, with all implementations as real modules.
    "UserServiceTests": ["CommonInterface", "EavesTesting", "UsersSQLite", "eaves"],
]

/// The folders in those of tests that the package does not compile.
let fixtures = ["EavesTestingTests": ["Greeter"], "EavesIsolationTests": ["Fixtures"]]

/// The targets of tests, and first what they share: child processes, hosts, binaries, compilers. A test may import all
/// that its room, the shared code, and what ``tested`` names for it stand on.
let tests: [Target] = {
    let support = Target.target(name: "EavesTestSupport", path: "Tests/Support")
    support.dependencies = dependencies(on: ["EavesDeclaration", "EavesChild"], in: rooms)
    let building = Target.target(name: "EavesBuildTestSupport", path: "Tests/BuildSupport")
    building.dependencies = dependencies(on: ["EavesBuild", support.name], in: rooms + [support])
    let command = Target.target(name: "EndToEndSupport", path: "Tests/EndToEndSupport")
    command.dependencies = dependencies(on: [support.name], in: rooms + [support])
    let all = rooms + plugins + [support, building, command]
    let testedHere = rooms.map(\.name).filter {
        $0.hasPrefix("Eaves") && !testedElsewhere.contains($0)
    }
    return [support, building, command]
        + tested.merging(testedHere.map { ($0 + "Tests", []) }) { more, _ in more }.map {
            name, more in
            let room = testedHere.filter { $0 + "Tests" == name }
            return .testTarget(
                name: name, dependencies: dependencies(on: room + more + [support.name], in: all),
                exclude: fixtures[name] ?? [], linkerSettings: loadsModules)
        }
}()

let package = Package(
    name: "Eaves",
    products: [
        .executable(name: "eaves", targets: ["eaves"]),
        .library(name: "EavesInterface", targets: ["EavesInterface", "CEaves"]),
        .library(name: "EavesHost", targets: ["EavesHost", "EavesInterface", "CEaves"]),
        .library(name: "EavesIsolation", targets: ["EavesIsolation"]),
        .library(name: "EavesRestart", targets: ["EavesRestart"]),
        .library(name: "EavesSources", targets: ["EavesSources"]),
        .library(name: "EavesVerify", targets: ["EavesVerify"]),
        .library(
            name: "EavesCLI", targets: ["EavesCLI", "EavesHost", "EavesInterface", "CEaves"]),
        .library(name: "EavesTesting", targets: ["EavesTesting"]),
        // For `Benchmarks` and `Fuzzing`, packages of their own that measure and attack what is not public.
        // Other packages gain nothing from them: all that these rooms declare is for this package.
        .library(name: "EavesRooms", targets: ["EavesCatalog", "EavesRegistry", "EavesLoader"]),
        .library(name: "EavesParsers", targets: ["EavesCatalog", "EavesIsolation"]),
    ],
    targets: rooms + plugins + tests,
    swiftLanguageModes: [.v6]
)

/// Some targets, and those of `all` that they need, as dependencies.
func dependencies(on names: [String], in all: [Target]) -> [Target.Dependency] {
    let found = closure(of: names, in: all)
    return found.sorted().map { .byName(name: $0) }
}

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
    var settings = (target.swiftSettings ?? []) + buildsQuickly + [batches(of: target.name)]
    if target.isTest {
        if !testsOfInlinedCode.contains(target.name) { settings += notOptimised }
    } else {
        settings += startsQuickly
        if !resolvesQuickly.contains(target.name) { settings += asksForTypesQuickly }
    }
    settings += ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
        .map { .enableUpcomingFeature($0) }
    target.swiftSettings = settings
}
