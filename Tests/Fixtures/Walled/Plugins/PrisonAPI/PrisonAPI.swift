// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// A service behind a wall. Each function tells what the system answered: `0`, or the number of an error.
public protocol Prisoner: Sendable {
    /// The names of all ways out.
    func ways() async throws -> [String]
    /// Tries one. The folder holds what others own.
    func escape(_ way: String, to folder: String) async throws -> Int
    /// Reads a file.
    func read(_ path: String) async throws -> Int
    /// Creates, renames, empties and removes files in a folder.
    func change(_ folder: String) async throws -> Int
    /// Empties a file.
    func empty(_ path: String) async throws -> Int
    /// Connects to an address.
    func connect(_ host: String, _ port: Int) async throws -> Int
    /// Takes connections at an address.
    func listen(_ host: String, _ port: Int) async throws -> Int
    /// Asks for the address of a name: `0` for none.
    func resolve(_ name: String) async throws -> Int
    /// The exit code of a program.
    func run(_ program: String) async throws -> Int
    /// Starts a program, or a child without one, that goes on. Returns its number.
    func leave(_ program: String) async throws -> Int
    /// A variable of the environment.
    func variable(_ name: String) async throws -> String?
    /// Sends bytes on the channel to the host, beside those that Eaves sends.
    func say(_ bytes: [UInt8], times count: Int) async throws -> Int
    /// Does something by its name to what the process shares with its host, or with files and numbers that follow.
    func strike(_ blow: [String]) async throws -> Int
    /// Makes a file of so many megabytes in the folder for temporary files, removes it, and keeps it open. Returns the folder, as
    /// the C library, SQLite and Foundation find it.
    func temporary(_ megabytes: Int) async throws -> String
    /// The numbers of the process and of its threads.
    func process() async throws -> Int
}
