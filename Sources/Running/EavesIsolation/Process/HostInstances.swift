// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Generated) import EavesInterface
import EavesSystem

/// Answers the calls of a module in a worker to its host: to the services that the module declares to require, and no others,
/// to the consoles of its features, and to the sockets that listen where its permissions say.
///
/// Each process of the worker has an object of its own, and all of them have the same ``Lent``.
final class HostInstances: InstanceProvider {
    /// The resolver and the consoles of the host, which all processes of a worker share.
    final class Lent: Sendable {
        fileprivate let required: Set<String>
        let consoles = LentConsoles()
        /// The resolver of the host, once the module's services can be asked for.
        let resolver = Shared<(any Resolver)?>(nil)

        init(_ required: some Sequence<String>) { self.required = Set(required) }
    }

    private let lent: Lent
    private let listeners: LentListeners?

    /// - Parameter listeners: `nil` for a module that may not listen.
    init(_ lent: Lent, _ listeners: LentListeners?) {
        self.lent = lent
        self.listeners = listeners
    }

    func instance(
        of service: String, named name: String?
    ) async throws -> (target: WireTarget, requirements: Int) {
        guard lent.required.contains(service), let known = WireTables.service(service),
            let resolver = lent.resolver.value
        else {
            throw Refusal(what: "no '\(service)' to a module that does not declare to require it")
        }
        return (try await known.resolve(resolver, name), known.requirements.count)
    }

    func call(_ function: Int, _ arguments: WireReader) async throws -> WireAnswer {
        guard let function = HostFunction(rawValue: function) else {
            throw Refusal(what: "no function \(function)")
        }
        switch function {
        case .readLine: return try .value(try await console(arguments).readLine())
        case .write: try await console(arguments).write(try arguments.read(String.self))
        case .warn: try await console(arguments).warn(try arguments.read(String.self))
        case .flush: try await console(arguments).flush()
        case .ready: try kept.ready()
        case .descriptors:
            let name = try arguments.read(String.self)
            return try .value(try await sockets.give(name, of: kept))
        case .keep:
            let name = try arguments.read(String.self)
            try await sockets.keep(try arguments.read([Int32].self), named: name, in: kept)
        case .drop: try await sockets.drop(try arguments.read(String.self), in: kept)
        }
        return .nothing
    }

    private func console(_ arguments: WireReader) throws -> LentConsole {
        guard let console = lent.consoles[try arguments.read(UInt64.self)] else {
            throw Refusal(what: "no console to a feature that has ended")
        }
        return console
    }

    private var sockets: LentListeners {
        get throws {
            guard let listeners else {
                throw Refusal(what: "no sockets to a module that may not listen")
            }
            return listeners
        }
    }

    private var kept: any Listeners {
        get throws {
            guard let resolver = lent.resolver.value else {
                throw Refusal(what: "no sockets to a module that has not begun")
            }
            return try resolver.resolve((any Listeners).self)
        }
    }

    private struct Refusal: Error, CustomStringConvertible {
        let what: String
        var description: String { "the host gives \(what)" }
    }
}

/// The functions of a host itself, which a worker calls as requirements of the instance 0.
enum HostFunction: Int, Sendable {
    /// The functions of a launch's console, whose number they take first.
    case readLine, write, warn, flush
    /// The functions of the host's listening sockets. All but the last take a name first.
    case descriptors, keep, drop, ready
}
