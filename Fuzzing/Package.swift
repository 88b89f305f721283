// swift-tools-version: 6.2
// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The name by which SwiftPM calls the root package, which is that of its folder: the parsers are declared for that
/// package alone.
let folder = Context.packageDirectory.split(separator: "/").dropLast().last ?? ""
let inEaves: [SwiftSetting] = [
    .unsafeFlags([
        "-package-name",
        String(folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }),
    ])
]

let package = Package(
    name: "Fuzzing",
    dependencies: [.package(name: "Eaves", path: "..")],
    targets: [
        .systemLibrary(name: "CFuzzer", path: "CFuzzer"),
        // `run` links it with libFuzzer. The gate only compiles it, so that it stays true.
        .target(
            name: "Fuzzing",
            dependencies: ["CFuzzer", .product(name: "EavesParsers", package: "Eaves")],
            path: "Sources", packageAccess: false, swiftSettings: inEaves),
    ],
    swiftLanguageModes: [.v6]
)
