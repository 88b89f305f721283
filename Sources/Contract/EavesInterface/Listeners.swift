// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Keeps the descriptors on which a program takes calls: listening sockets, mostly. The host provides it.
///
/// The host keeps them apart from the code that uses them. So a new generation of a module goes on with the
/// sockets of the old one, a fresh process with those of the process before, and a program that systemd starts
/// with those that systemd has opened. Calls that come meanwhile wait in the socket.
///
/// ```swift
/// let listeners = try resolver.resolve((any Listeners).self)
/// let socket = try listeners.descriptor(named: "http") { try listen(onPort: 8080) }
/// defer { close(socket) }
/// listeners.ready()
/// // accept, until the task is cancelled
/// ```
///
/// Safe from any thread.
public protocol Listeners: Sendable {
    /// Returns descriptors that are kept under a name, or else lets a function make them and keeps those.
    ///
    /// Mostly it is one; see ``descriptor(named:orMake:)``. systemd may have given the name to several sockets, for
    /// instance one for each address.
    ///
    /// - Parameters:
    ///   - name: A name that no other part of the program uses for something else, such as `http`. It is the
    ///     `FileDescriptorName` of a socket unit of systemd.
    ///   - make: A function that makes the descriptors if none are kept under this name. The host takes them over.
    /// - Returns: Descriptors for the caller, who closes them: copies of those that the host keeps. A copy has
    ///   its mode in common with all others: `O_NONBLOCK`, once set, holds for all of them.
    /// - Throws: The error of `make`, or ``ListenersError``.
    func descriptors(named name: String, orMake make: () throws -> [Int32]) throws -> [Int32]

    /// Returns the descriptor that is kept under a name, or else lets a function make it and keeps that one.
    ///
    /// - Parameters:
    ///   - name: A name that no other part of the program uses for something else, such as `http`.
    ///   - make: A function that makes the descriptor if none is kept under this name. The host takes it over.
    /// - Returns: A descriptor for the caller, who closes it: a copy of the one that the host keeps, or of the
    ///   first of several.
    /// - Throws: The error of `make`, or ``ListenersError``.
    func descriptor(named name: String, orMake make: () throws -> Int32) throws -> Int32

    /// Closes the descriptors that are kept under a name. Copies that code has made stay open.
    ///
    /// As long as the host keeps a listening socket, calls wait in it, even if no code accepts them any more. So a
    /// feature drops what it has made when it ends. While a fresh process takes over, nothing is dropped: that process
    /// goes on with it, or the feature begins again here.
    func drop(_ name: String)

    /// Notes that the feature takes calls from now on, and none before.
    ///
    /// If this process takes over from another one, the function returns once that one takes no calls any more: so a process
    /// that fails, or is killed, before it has the other one's place has answered none. A feature that does not say so counts as
    /// ready when it has run for a second. After the first `ready()`, the host expects it of every successor.
    func ready()
}

/// The error of a descriptor that cannot be kept or copied.
public struct ListenersError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failure and its reason.
    public let description: String

    /// Creates an error.
    ///
    /// - Parameter description: The failure and its cause.
    public init(_ description: String) {
        self.description = description
    }
}
