// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog
import EavesSystem

/// What all compilations of one build have in common. Found out when the first one needs it.
struct BuildTools: Sendable {
    let sdk: SDK
    let sdkContent: SDKContent
    /// The versions of the C ABI and of the interface.
    let versions: (abi: Int, interface: InterfaceVersion)
    let toolchain: Toolchain
    let compiler: Compiler
    /// Taken before the compiler was asked.
    let compilerStamp: FileStamp?

    init(_ builder: Builder, interrupts: Interrupts?) throws(BuildError) {
        sdk = try builder.sdk.get()
        sdkContent = try SDKContent(sdk)
        versions = try sdk.versions()
        toolchain = try builder.toolchain.get()
        compilerStamp = FileStamp(path: toolchain.swiftc)
        compiler = try Compiler(toolchain, interrupts: interrupts)
        if let expected = sdkContent.compilerVersion,
            Compiler.series(of: expected) != Compiler.series(of: compiler.version)
        {
            throw BuildError(
                "eaves",
                .otherCompiler(
                    path: toolchain.swiftc, found: compiler.version, expected: expected))
        }
    }
}
