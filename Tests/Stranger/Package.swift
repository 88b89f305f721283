// swift-tools-version: 6.2
// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package as a stranger writes it: Eaves is a dependency, and no target needs linker flags.
let package = Package(
    name: "Stranger",
    products: [
        .executable(name: "acme", targets: ["acme"]),
        .executable(name: "stranger-server", targets: ["StrangerServer"]),
    ],
    dependencies: [.package(name: "Eaves", path: "../..")],
    targets: [
        // The interface that is linked in. Modules are compiled against it and never rebuilt with the
        // program, so it evolves.
        .target(
            name: "GreetingAPI",
            dependencies: [.product(name: "EavesInterface", package: "Eaves")],
            swiftSettings: [
                .unsafeFlags([
                    "-enable-library-evolution", "-emit-module-interface",
                    "-no-verify-emitted-module-interface",
                ])
            ]),
        // The command under a name of its own.
        .executableTarget(
            name: "acme",
            dependencies: ["GreetingAPI", .product(name: "EavesCLI", package: "Eaves")]),
        // A server that stays up.
        .executableTarget(
            name: "StrangerServer",
            dependencies: [
                "GreetingAPI", .product(name: "EavesHost", package: "Eaves"),
                .product(name: "EavesIsolation", package: "Eaves"),
                .product(name: "EavesSources", package: "Eaves"),
                .product(name: "EavesVerify", package: "Eaves"),
            ],
            // One import has to be enough for all that a program names.
            swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")]),
    ],
    swiftLanguageModes: [.v6]
)
