// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The beginning and the end of a module's work, and its health in between.
///
/// A module gives the host one such object while it registers. Mostly it is the object that its factories share:
///
/// ```swift
/// let store = UserStore()
/// registrar.lifecycle(store)
/// registrar.register((any UserService).self, scope: .shared) { _ in store }
/// ```
///
/// The host calls one of these functions at a time for each object, on any thread. Meanwhile, other threads may use the
/// module's services. It calls each of them within a time limit; a function that does not return in time is named in
/// a message, and the host goes on without it.
///
/// The functions do not wait for tasks: a module with asynchronous work starts a task in ``start(_:)``, and cancels it
/// in ``stop()``.
public protocol Lifecycle: Sendable {
    /// Begins the work of the module.
    ///
    /// The host calls this once, after the module has registered and before anybody can ask for its services. If the
    /// module is exchanged for a new file, the object of the old file serves until that of the new one has started.
    ///
    /// - Parameter resolver: The resolver of the services of other modules, which are loaded and started first. It may be kept.
    ///   The module's own services cannot be resolved yet.
    /// - Throws: Anything. The host then refuses the module, and shows the error's text; it does not call ``stop()``.
    func start(_ resolver: any Resolver) throws

    /// Ends the work of the module: finishes what was begun, closes what is open.
    ///
    /// The host calls this once, if ``start(_:)`` has returned: when the host ends, when the module is switched off,
    /// or when another generation of the module serves. If the host ends, the modules that use this one were stopped
    /// before, unless this one uses them, too.
    ///
    /// If a generation serves no longer, the host waits until no resolution, loan or factory is under way in it that
    /// began before. It does not see code that has resolved a service and keeps it: that code may call the service
    /// during this function and after it. So the module's objects answer such a call, or throw an error.
    ///
    /// - Throws: Anything. The host shows the error's text, and goes on.
    func stop() throws

    /// Whether the module can do its work.
    ///
    /// The host asks before a new generation of the module takes the place of the old one, and after that as often as
    /// it wants. A new generation that is not healthy is refused, and the old one serves on.
    ///
    /// - Throws: An error whose text says why the module is not healthy.
    var isHealthy: Bool { get throws }
}

extension Lifecycle {
    /// Does nothing.
    public func start(_ resolver: any Resolver) throws {}

    /// Does nothing.
    public func stop() throws {}

    /// `true`.
    public var isHealthy: Bool { true }
}

/// A life cycle whose state goes from one generation of the module to the next.
///
/// When the module is exchanged, or its service is bound to another module, the host asks the old object for a
/// snapshot, and lets the new one restore it. Before it switches, it checks the way back: an object of the old code
/// has to restore a snapshot of the new one, and its own snapshot has to have the same bytes as the first one.
/// Otherwise the host refuses the exchange, since a rollback would lose what was written after it.
///
/// While the last snapshot goes over, calls of the module's services by ``Resolver/call(_:name:_:)`` and
/// ``Resolver/callAsync(_:name:isolation:_:)`` wait: what they write is never lost. So ``snapshot()`` and
/// ``restore(_:)`` must not call the module's own services in these ways.
public protocol StateHandover: Lifecycle {
    /// Returns the state as bytes, in a format of the module's own.
    ///
    /// The format has to be one that older and later versions of the module can read. The same state always gives the
    /// same bytes, so that the host can compare snapshots: sort whatever has no order of its own, and leave out
    /// times and addresses.
    ///
    /// The host may call this at any time after ``restore(_:)`` or ``Lifecycle/start(_:)``, also while the module's
    /// services are in use and several times, so it changes nothing.
    ///
    /// - Throws: An error whose text says why there is no snapshot. The host then refuses the exchange.
    func snapshot() throws -> [UInt8]

    /// Takes on the state of another object.
    ///
    /// The host calls this before ``Lifecycle/start(_:)``. It calls it again, with a newer snapshot, if a caller has
    /// written to the old object until the switch, or afterwards in a call that was under way; and if the service is
    /// bound to this module again, which has stayed started meanwhile. Some objects restore a snapshot, give one, and
    /// are never started: those with which the host checks the way back.
    ///
    /// - Parameter snapshot: A snapshot of this version of the module, or of another one.
    /// - Throws: An error whose text says why the object cannot read it. The host then refuses the exchange.
    func restore(_ snapshot: [UInt8]) throws
}
