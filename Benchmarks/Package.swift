// swift-tools-version: 6.2
// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let loadsModules: [LinkerSetting] = [.unsafeFlags(["-Xlinker", "--export-dynamic"])]

/// The rooms of Eaves, and the right to use what they declare for their own package, which SwiftPM calls by the name of
/// its folder. Two benchmarks measure what is not public.
let rooms: Target.Dependency = .product(name: "EavesRooms", package: "Eaves")
let folder = Context.packageDirectory.split(separator: "/").dropLast().last ?? ""
let inEaves: [SwiftSetting] = [
    .unsafeFlags([
        "-package-name",
        String(folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }),
    ])
]

/// As the root package compiles its own code.
let asInEaves: [SwiftSetting] =
    inEaves + [
        .unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"]),
        .unsafeFlags(
            ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"],
            .when(configuration: .release)),
    ]

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "Eaves", path: "..")],
    targets: [
        // The baselines.
        .executableTarget(name: "EmptyProgram"),
        .target(
            name: "HandWritten", dependencies: [.product(name: "EavesInterface", package: "Eaves")]
        ),
        .executableTarget(
            name: "HandWrittenHost", dependencies: ["HandWritten"], linkerSettings: loadsModules),
        .executableTarget(
            name: "HandWrittenManifestHost", dependencies: ["HandWritten"],
            linkerSettings: loadsModules),
        // A program of another package that is a host. It needs no linker flags.
        .executableTarget(
            name: "HostedProgram", dependencies: [.product(name: "EavesHost", package: "Eaves")]),
        // The programs that compare.
        .executableTarget(
            name: "SwapBenchmark",
            dependencies: ["HandWritten", .product(name: "EavesHost", package: "Eaves")]),
        .executableTarget(
            name: "EditBenchmark", dependencies: [.product(name: "EavesHost", package: "Eaves")]),
        .executableTarget(
            name: "CrashBenchmark",
            dependencies: [
                .product(name: "EavesHost", package: "Eaves"),
                .product(name: "EavesIsolation", package: "Eaves"),
            ]),
        .executableTarget(name: "ProcessBenchmark"),
        .executableTarget(name: "PairBenchmark"),
        // The interface of the services that the registry is measured with.
        .target(
            name: "ReadingAPI",
            swiftSettings: [
                .unsafeFlags([
                    "-enable-library-evolution", "-emit-module-interface",
                    "-no-verify-emitted-module-interface",
                ])
            ]),
        .executableTarget(
            name: "RegistryBenchmark", dependencies: [rooms, "ReadingAPI"], packageAccess: false,
            swiftSettings: asInEaves, linkerSettings: loadsModules),
        .executableTarget(
            name: "LoadBenchmark", dependencies: [rooms], packageAccess: false,
            swiftSettings: asInEaves, linkerSettings: loadsModules),
    ],
    swiftLanguageModes: [.v6]
)
