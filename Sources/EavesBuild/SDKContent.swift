// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// What a module's content depends on in an SDK, read once for all modules of a build.
struct SDKContent: Sendable {
    /// Taken before the content was read.
    let stamps: SDKStamps
    /// The textual interface without its comments, which only say how it was made.
    let interface: [UInt8]
    let header: [UInt8]
    /// The version of the compiler that made the interface, such as `6.3.1`.
    let compilerVersion: String?

    init(_ sdk: SDK) throws(BuildError) {
        stamps = SDKStamps(sdk)
        do throws(SystemError) {
            let lines = try Files.read(sdk.textualInterface).split(separator: UInt8(ascii: "\n"))
            let isComment = { (line: ArraySlice<UInt8>) in line.starts(with: "//".utf8) }
            interface = Array(lines.filter { !isComment($0) }.joined(separator: "\n".utf8))
            header = try Files.read(sdk.header)
            compilerVersion = lines.prefix(while: isComment)
                .map { String(decoding: $0, as: UTF8.self) }
                .first { $0.hasPrefix("// swift-compiler-version:") }
                .flatMap(Compiler.version(in:))
        } catch {
            throw BuildError("eaves", .unreadable(error))
        }
    }
}
