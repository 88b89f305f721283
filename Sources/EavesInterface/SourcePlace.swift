// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A place in a module's source, for messages.
public struct SourcePlace: Hashable, Sendable, CustomStringConvertible {
    /// Module and file, such as `Users/UsersModule.swift`.
    public let fileID: String
    /// The line, from 1 on.
    public let line: UInt

    /// - Parameters:
    ///   - fileID: The value of `#fileID`.
    ///   - line: The value of `#line`.
    public init(fileID: StaticString, line: UInt) {
        self.fileID = String(describing: fileID)
        self.line = line
    }

    /// Of what was not compiled from Swift.
    package init(_ name: String) {
        fileID = name
        line = 0
    }

    /// File and line, such as `Users/UsersModule.swift:12`.
    public var description: String { "\(fileID):\(line)" }
}
