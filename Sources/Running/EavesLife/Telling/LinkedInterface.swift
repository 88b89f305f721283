// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// An interface module that is linked into the program, so that no file of it is loaded.
///
/// The program compiles it with library evolution, and its `.swiftmodule` and `.swiftinterface` stand in
/// `Modules` next to the executable, where `swift build` leaves them.
public struct LinkedInterface: Hashable, Sendable {
    /// The id by which modules name it in `interfaces`, such as `weather-api`.
    package let id: String
    /// The name of the Swift module, such as `WeatherAPI`.
    package let module: String
    /// The interface's version: two numbers, such as `1.2`.
    package let version: String
    /// The id of the module whose own interface it is; `nil` for an interface that all modules share.
    package let owner: String?

    /// Describes an interface that is linked in.
    ///
    /// - Parameters:
    ///   - id: The id by which modules name it.
    ///   - module: The name of the Swift module.
    ///   - version: Two numbers, such as `1.2`.
    ///   - owner: The id of the module whose own interface it is. Without it, every module may name the
    ///     interface.
    public init(id: String, module: String, version: String, owner: String? = nil) {
        self.id = id
        self.owner = owner
        self.module = module
        self.version = version
    }
}
