// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesInterface
import Synchronization

/// The registry: factories by service, and what they made.
///
/// Safe from any thread. Resolving takes no lock, and counts no references but those of the result;
/// registering never waits for it. No lock is held while a factory runs.
package final class Container: Resolver {
    /// Asked for a service that is not registered: may register it and answer `true`.
    package typealias Supplier = @Sendable (ServiceRequest, Container) throws -> Bool
    /// Asked for all who provide a service, under whatever name: registers those that are missing.
    package typealias SupplierOfAll = @Sendable (ServiceRequest, Container) throws -> Void

    /// Where services are looked for that are not registered here.
    let parent: Container?
    let supplier: Supplier
    let supplierOfAll: SupplierOfAll
    /// Who is told when something was made.
    let hooks = CreationHooks()
    // SAFETY: an atomic; what it points to is read in a section only, as `RegistrationTable` asks.
    nonisolated(unsafe) let table: Atomic<UnsafeRawPointer>
    // SAFETY: written in `init` alone, and released in `deinit`, before which nobody asks for it.
    nonisolated(unsafe) private(set) var lent: Unmanaged<FactoryResolver>?
    private let records: Guarded<ContainerRecords>
    /// Counts the changes to the container and to those that it looks into: all of a family count
    /// together.
    private let changeCounter: ChangeCounter
    package var changes: ChangeCounter? { changeCounter }

    /// - Parameters:
    ///   - parent: Whose services are visible here as well, if there are no own of the same key.
    ///     What its factories resolve does not see this container.
    ///   - supplier: Called, on the thread that asks, when a service is missing, after the parents
    ///     were asked for what they have, and before the parents' suppliers. What it throws ends
    ///     the resolution as ``ResolutionError/Reason/moduleFailed(_:)``.
    ///   - supplierOfAll: Called, on the thread that asks, when all who provide a service are asked
    ///     for. What it throws ends the resolution in the same way.
    package init(
        parent: Container? = nil, supplier: @escaping Supplier = { _, _ in false },
        supplierOfAll: @escaping SupplierOfAll = { _, _ in }
    ) {
        Reader.answerInjected()
        let empty = RegistrationTable(for: 0)
        self.parent = parent
        changeCounter = parent?.changes ?? ChangeCounter()
        self.supplier = supplier
        self.supplierOfAll = supplierOfAll
        table = Atomic(empty.pointer)
        records = Guarded(ContainerRecords(table: empty))
        lent = .passRetained(FactoryResolver(self))
        // SAFETY: gives back the reference that `lent` took, so that the container can end. While
        // a factory runs, whoever asked holds the container; whoever keeps what it was lent takes
        // a reference of its own.
        Unmanaged.passUnretained(self).release()
    }

    deinit {
        // SAFETY: takes the reference again that `lent` is about to release.
        _ = Unmanaged.passUnretained(self).retain()
        lent?.release()
        // Whoever resolves holds the container, so nobody reads the tables any more.
        records.withLock { $0.end() }
    }

    /// Everything that is registered, in the order of registration.
    package var registrations: [Registration] { records.withLock { $0.registrations } }

    /// All decorators, in the order of registration.
    package var decorators: [Decorator] { records.withLock { $0.decorators } }

    /// Everything that is registered, in an order that does not depend on when it was.
    package var dump: ContainerDump { ContainerDump(registrations) }

    /// Registers a factory of the host's own.
    ///
    /// - Parameter overriding: Whether it takes the place of what is registered already, which is
    ///   an error otherwise; and of what modules register later.
    package func register<Service: Sendable>(
        _ service: Service.Type, name: String? = nil, scope: Scope = .transient,
        overriding: Bool = false, fileID: StaticString = #fileID, line: UInt = #line,
        factory: @escaping @Sendable (any Resolver) throws -> Service
    ) throws(RegistrationError) {
        let place = SourcePlace(fileID: fileID, line: line)
        let registration = PlainFactory(
            name: name, scope: scope, module: nil, place: place, make: factory)
        try insert([registration], overriding: overriding)
    }

    /// Lets everything in a scope of one's own be made anew, such as when a session ends.
    ///
    /// What was made stays with those who have it, and is released as in ``unregister(module:)``.
    package func reset(_ scope: Scope) {
        let released = records.withLock { records in
            records.renew(where: { $0.scope == scope }, publish: publish)
        }
        changeCounter.advance()
        // Released here, where no lock is held.
        withExtendedLifetime(released) {}
    }

    /// Makes registrations and decorators visible, all at once or none. Those that the host overrides
    /// are then for those who ask for all.
    func insert(
        _ added: [Registration], decorators: [Decorator] = [], overriding: Bool = false
    ) throws(RegistrationError) {
        if overriding { return override(with: added) }
        let outcome = records.withLock { records -> Result<[Registration], RegistrationError> in
            let added = added.map { own(records.yielded($0)) }
            let duplicates = records.duplicates(of: added)
            guard duplicates.isEmpty else {
                return .failure(RegistrationError(duplicates: duplicates))
            }
            return .success(records.insert(added, decorators: decorators, publish: publish))
        }
        changeCounter.advance()
        // Released here, where no lock is held.
        _ = try outcome.get()
    }

    /// Puts registrations in the place of those with the same keys, and of those that modules add
    /// later.
    func override(with added: [Registration]) {
        let added = added.map { own($0.asOverriding()) }
        let released = records.withLock { $0.override(added, publish: publish) }
        changeCounter.advance()
        // Released here, where no lock is held.
        withExtendedLifetime(released) {}
    }

    /// Whether the host itself, and no module, has registered something like this.
    package func hasOwn(where isThis: (ServiceRequest) -> Bool) -> Bool {
        registrations.contains { $0.module == nil && isThis($0.request) }
    }

    /// A registration, as one of this container.
    private func own(_ registration: Registration) -> Registration {
        registration.owner = .passUnretained(self)
        return registration
    }

    /// Has everything that is made from now on noticed.
    func observe() {
        let released = records.withLock { $0.observe(publish: publish) }
        // Released here, where no lock is held.
        withExtendedLifetime(released) {}
    }

    /// Takes back what a module registered, and its decorators, all at once.
    ///
    /// What it made for others stays with them. Its factories and shared instances are released
    /// when no thread is resolving any more that could be using them.
    ///
    /// - Parameter module: The module's id; `nil` for what the host itself registered.
    /// - Returns: What was taken back.
    @discardableResult
    package func unregister(module: String?) -> [ServiceRequest] {
        unregister(where: { $0.module == module }, decorators: { $0.module == module })
    }

    /// Takes back one registration, as ``unregister(module:)`` does.
    ///
    /// - Returns: Whether it was there.
    @discardableResult
    package func unregister<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String? = nil, arguments: repeat (each Argument).Type
    ) -> Bool {
        let key = ServiceKey(service, name: name, arguments: repeat each arguments)
        return !unregister(where: { $0.key == key }, decorators: { _ in false }).isEmpty
    }

    /// Releases what was replaced or taken back and no resolution can be using any more. Every such
    /// change does so, too; this is for who will make no other for a while.
    package func reclaim() {
        let released = records.withLock { $0.reclaim() }
        // Released here, where no lock is held.
        withExtendedLifetime(released) {}
    }

    private func unregister(
        where isGone: @Sendable (Registration) -> Bool,
        decorators isOver: @Sendable (Decorator) -> Bool
    ) -> [ServiceRequest] {
        let (requests, released) = records.withLock { records in
            records.remove(where: isGone, decorators: isOver, publish: publish)
        }
        changeCounter.advance()
        // Released here, where no lock is held.
        withExtendedLifetime(released) {}
        return requests
    }

    private func publish(_ table: RegistrationTable) {
        self.table.store(table.pointer, ordering: .releasing)
    }
}
