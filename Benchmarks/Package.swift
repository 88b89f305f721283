// swift-tools-version: 6.2
// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let loadsModules: [LinkerSetting] = [.unsafeFlags(["-Xlinker", "--export-dynamic"])]

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
        // A program of somebody else's that is a host. It needs no linker flags.
        .executableTarget(
            name: "HostedProgram", dependencies: [.product(name: "EavesHost", package: "Eaves")]),
        // The programs that compare.
        .executableTarget(
            name: "SwapBenchmark",
            dependencies: ["HandWritten", .product(name: "EavesHost", package: "Eaves")]),
        .executableTarget(
            name: "EditBenchmark", dependencies: [.product(name: "EavesHost", package: "Eaves")]),
        .executableTarget(
            name: "CrashBenchmark", dependencies: [.product(name: "EavesHost", package: "Eaves")]),
        .executableTarget(name: "ProcessBenchmark"),
        .executableTarget(name: "PairBenchmark"),
    ],
    swiftLanguageModes: [.v6]
)
