// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The progress of a build.
public struct BuildStatus: Sendable {
    /// A module that is being compiled.
    package struct Compiling: Sendable {
        package var id: String
        /// The time since its compilation began.
        package var duration: Duration
        /// The build program that compiles it with all that it depends on, such as `swift build`; `nil` for a compiler.
        package var program: String?

        package init(id: String, duration: Duration, program: String? = nil) {
            self.id = id
            self.duration = duration
            self.program = program
        }
    }

    /// The number of modules that are done, compiled or not.
    public package(set) var done: Int
    /// The number of modules, without those that are known to be up to date.
    public package(set) var count: Int
    /// The modules that are being compiled, the one that began first at the front.
    package var compiling: [Compiling]

    package init(done: Int, count: Int, compiling: [Compiling]) {
        self.done = done
        self.count = count
        self.compiling = compiling
    }
}
