// swift-tools-version: 6.2
// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "Eaves", path: "..")],
    targets: [
        // What is compared with.
        .executableTarget(name: "EmptyProgram"),
        .executableTarget(
            name: "HandWrittenHost",
            dependencies: [.product(name: "EavesInterface", package: "Eaves")],
            linkerSettings: [.unsafeFlags(["-Xlinker", "--export-dynamic"])]),
        // What compares.
        .executableTarget(name: "ProcessBenchmark"),
    ],
    swiftLanguageModes: [.v6]
)
