// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

@_spi(Containers) package import EavesInterface
import Synchronization

/// The registry: it has the factories of all services, and the instances that scopes keep.
///
/// Safe from any thread. Resolving takes no lock, and counts no references except those of its result;
/// registering never waits for it. No lock is held while a factory runs.
package final class Container: Resolver {
    /// A function for a service that is not registered; it may register the service and return `true`. If
    /// nothing provides the service, it can say why by throwing ``NotProvidedError``.
    package typealias Supplier = @Sendable (ServiceRequest, Container) throws -> Bool
    /// A function for all providers of a service, whatever their names are; it registers those that are missing.
    package typealias SupplierOfAll = @Sendable (ServiceRequest, Container) throws -> Void

    /// A function that returns whether a supplier would find a provider of a service that is not registered, or fail.
    package typealias SupplierSearch = @Sendable (ServiceRequest) -> Bool

    let parent: Container?
    let supplier: Supplier
    let supplierOfAll: SupplierOfAll
    let supplierSearch: SupplierSearch
    package let chooser: (any ServiceChooser)?
    let patience: Duration
    let onLongWait: @Sendable (LongWait) -> Void
    // SAFETY: atomics; their targets are read in a read section only, as `RegistrationTable` demands.
    nonisolated(unsafe) private let table: Atomic<UnsafeRawPointer>
    nonisolated(unsafe) private let front: Atomic<UnsafeRawPointer>
    private let records: Guarded<ContainerRecords>
    /// The modules that the container has from its home, if it chooses differently.
    let adoption = Guarded(AdoptionState())
    let adopters = Guarded<[WeakContainer]>([])
    /// The number of exchanges of modules' registrations, those that were taken back included.
    let exchangeCount = Atomic(0)
    /// The count of changes to the container and to its parents. A whole family shares one counter.
    let changeCounter: ChangeCounter
    /// The reasons to take note of calls. A whole family shares them, and the accounts of its modules.
    let callNotes: CallNotes
    package let accounts: CallAccounts
    package var changes: ChangeCounter? { changeCounter }

    /// - Parameters:
    ///   - parent: Its services are visible here too, except those with a key that this container has.
    ///     The parent's factories do not see this container.
    ///   - supplier: A function that is called, on the thread that asks, for a missing service: after the parents were
    ///     searched, and before the parents' suppliers. An error that it throws ends the resolution as
    ///     ``ResolutionError/Reason/moduleFailed(_:)``.
    ///   - patience: The time that a thread waits for what another thread creates before `onLongWait` is
    ///     called, on the thread that waits. It then goes on waiting.
    ///   - onLongWait: A function that is told of such a wait, since it may never end. The default prints a warning.
    package init(
        parent: Container? = nil, supplier: @escaping Supplier = { _, _ in false },
        supplierOfAll: @escaping SupplierOfAll = { _, _ in },
        supplierSearch: @escaping SupplierSearch = { _ in false },
        chooser: (any ServiceChooser)? = nil,
        patience: Duration = .seconds(10),
        onLongWait: @escaping @Sendable (LongWait) -> Void = { $0.print() }
    ) {
        ThreadContext.answerInjected()
        ThreadContext.takeBackLoans()
        let empty = RegistrationTable(for: 0)
        self.parent = parent
        changeCounter = parent?.changes ?? ChangeCounter()
        callNotes = parent?.callNotes ?? CallNotes()
        accounts = parent?.accounts ?? CallAccounts(callNotes)
        self.supplier = supplier
        self.supplierOfAll = supplierOfAll
        self.supplierSearch = supplierSearch
        self.chooser = chooser
        self.patience = patience
        self.onLongWait = onLongWait
        table = Atomic(empty.pointer)
        front = Atomic(empty.pointer)
        records = Guarded(ContainerRecords(table: empty, noting: callNotes.epochs))
    }

    deinit {
        // Everything that resolves holds the container, so no thread reads the tables any more.
        var released = records.withLock { $0.end() }
        released.end()
    }

    package var registrations: [Registration] { records.withLock { $0.registrations } }

    /// All registrations and decorators, as they were at one moment.
    package var content: (registrations: [Registration], decorators: [Decorator]) {
        records.withLock { ($0.registrations, $0.decorators) }
    }

    /// All registrations, also those whose places others have taken by overriding.
    var allRegistrations: [Registration] {
        records.withLock { $0.registrations + $0.overridden.values.joined() }
    }

    var rebindable: [Registration] { records.withLock { $0.rebindable } }

    /// The number of exchanges of modules' registrations so far, those that were taken back included. A
    /// ``ServiceChooser`` that remembers its decisions forgets them when this number has changed.
    package var exchanges: Int { exchangeCount.load(ordering: .acquiring) }

    /// All registrations as data, in an order that does not depend on the order of registration.
    package var dump: ContainerDump { ContainerDump(registrations) }

    /// Whether the host itself, and no module, has registered a service like this.
    package func hasOwn(where isThis: (ServiceRequest) -> Bool) -> Bool {
        registrations.contains { $0.module == nil && isThis($0.request) }
    }

    /// Whether the program has put something of its own in the place of what the host or a module registers.
    package func overrides(where isThis: (ServiceRequest) -> Bool) -> Bool {
        registrations.contains { $0.traits.overriding != nil && isThis($0.request) }
    }

    /// Makes registrations and decorators visible, all or nothing. Those of modules that the host
    /// overrides are only found by `resolveAll`.
    func insert(_ added: [Registration], decorators: [Decorator] = []) throws(RegistrationError) {
        let problems = change { records -> [RegistrationProblem] in
            let added = added.map { own(records.yielded($0)) }
            let problems = records.problems(of: added)
            if problems.isEmpty {
                records.insert(added, decorators: decorators, publish: publish)
            }
            return problems
        }
        changeCounter.advance()
        guard problems.isEmpty else { throw RegistrationError(problems: problems) }
    }

    /// Puts registrations in the place of those with the same keys, and of those that modules insert later.
    ///
    /// - Returns: The value for ``undo(_:)``.
    func override(with added: [Registration], decorators: [Decorator]) -> Overriding {
        let overriding = Overriding(decorators: decorators)
        let added = added.map { own($0.asOverriding(by: overriding)) }
        change { $0.override(added, decorators: decorators, publish: publish) }
        changeCounter.advance()
        return overriding
    }

    /// Puts back what was overridden, and removes the decorators that came with it. What was overridden
    /// meanwhile by something else stays overridden. Does nothing the second time.
    ///
    /// Registrations that come back have the instances that they had.
    package func undo(_ overriding: Overriding) {
        change { $0.undo(overriding, publish: publish) }
        changeCounter.advance()
    }

    /// Lets everything in a named scope be created anew, for example when a session ends.
    ///
    /// Instances that code has stay with it. The container releases its own references as
    /// ``unregister(module:)`` does: at once, or when the last resolution that is under way ends.
    package func reset(_ scope: Scope) {
        change { $0.renew(where: { $0.scope == scope }, publish: publish) }
        changeCounter.advance()
    }

    /// Releases what was replaced or unregistered and is out of every thread's reach. Every change to
    /// the container does that too, and so do the threads that were in its way.
    package func reclaim() {
        change { _ in }
    }

    /// The table that resolutions which begin now ask. To be read in a section.
    @inline(__always)
    var currentTable: RegistrationTable { RegistrationTable(table.load(ordering: .acquiring)) }

    /// The table at which they look first. It has nothing while calls are under way that began with a table that was
    /// exchanged since: then, resolutions find out whether they are a part of one.
    @inline(__always)
    var frontTable: RegistrationTable { RegistrationTable(front.load(ordering: .acquiring)) }

    func isAtFront(_ table: RegistrationTable) -> Bool { frontTable == table }

    /// The table with which the calls of an epoch began, as long as they may ask it; else the present one. To be read in a
    /// section.
    func table(since epoch: UInt64) -> RegistrationTable {
        records.withLock { $0.table(since: epoch) }
    }

    func isCurrent(_ table: RegistrationTable) -> Bool {
        self.table.load(ordering: .sequentiallyConsistent) == table.pointer
    }

    func letGo(_ table: RegistrationTable) {
        guard isCurrent(table) else { return change { $0.retirement.letGo(table) } }
        table.letGo()
        // It may have been replaced before that, and waited for this.
        if !isCurrent(table) { reclaim() }
    }

    /// Lets calls note from now on with which tables they begin: modules may be exchanged.
    package func expectExchanges() { callNotes.set(.exchanges, true) }

    /// Lets calls, here and in the containers that have adopted something, ask the present tables if they have
    /// begun with tables that were replaced before a time.
    package func endCalls(before time: ContinuousClock.Instant) {
        let containers = adopters.withLock { $0.compactMap(\.container) }
        for container in [self] + containers {
            container.change { $0.retirement.revoke(before: time) }
        }
    }

    /// Takes back a module's registrations and decorators, all at once.
    ///
    /// The instances that others have stay with them. The container releases the module's factories
    /// and shared instances as soon as no thread can be using them: at once if no resolution or loan is
    /// under way in the process, and otherwise when the last of those that are has ended, on its thread.
    ///
    /// - Parameter module: The module's id; `nil` for the host's own registrations.
    /// - Returns: The services that were taken back.
    @discardableResult
    package func unregister(module: String?) -> [ServiceRequest] {
        retire(module: module).requests
    }

    /// Takes back a module's registrations and decorators, as ``unregister(module:)`` does, here and in the
    /// containers that have adopted the module.
    ///
    /// - Returns: The instances that were taken back.
    package func retire(module: String?) -> RetiredInstances {
        ending { retired in
            remove(
                where: { $0.module == module }, decorators: { $0.module == module },
                noting: retired)
        }
    }

    /// Lets calls look for gates from now on, before a module with one is visible.
    func expectGates() { callNotes.set(.gates, true) }

    /// Takes back one registration, as ``unregister(module:)`` does.
    ///
    /// - Returns: Whether it was registered.
    @discardableResult
    package func unregister<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String? = nil, arguments: repeat (each Argument).Type
    ) -> Bool {
        let key = ServiceKey(service, name: name, arguments: repeat each arguments)
        let retired = exchanging { retired in
            retired.add(
                remove(where: { $0.key == key }, decorators: { _ in false }, noting: retired))
        }
        return !retired.requests.isEmpty
    }

    private func remove(
        where isGone: @escaping (Registration) -> Bool,
        decorators isOver: @escaping (Decorator) -> Bool, noting retired: RetiredInstances
    ) -> ContainerRecords.Outcome {
        let exchange = ContainerRecords.Exchange(
            added: [], decorators: [], isGone: isGone, isOver: isOver, isLenient: false)
        var outcome = change { $0.exchange(exchange, noting: retired, publish: publish) }
        // Those that have lost a decorator stay.
        outcome.removed = outcome.removed.filter(isGone)
        return outcome
    }

    /// Changes the records, and then releases what is out of reach where no lock is held: releasing runs
    /// `deinit`s of modules.
    func change<Result: Sendable>(_ body: (inout ContainerRecords) -> Result) -> Result {
        var released = Retirement.Released()
        let result = change(releasing: &released, body)
        released.end()
        return result
    }

    /// Changes the records.
    ///
    /// - Parameter released: The references that the caller has to release where no lock is held. It has the only
    ///   references, so that nothing is left of it when others are told.
    func change<Result: Sendable>(
        releasing released: inout Retirement.Released,
        _ body: (inout ContainerRecords) -> Result
    ) -> Result {
        records.withLock { records in
            let result = body(&records)
            released = records.reclaim(awaiting: { Reclamation.wait(for: self) })
            // Threads have been asked to see to it that this is tried again when their calls end.
            records.endDetour(publish)
            return result
        }
    }

    func own(_ registration: Registration) -> Registration {
        // SAFETY: the container has the registration only as long as it lives itself.
        let this = Unmanaged.passUnretained(self)
        // One that is exchanged for itself is read meanwhile, and has its owner.
        if registration.owner?.toOpaque() != this.toOpaque() {
            registration.owner = this
            registration.book = registration.module.map(accounts.book)
        }
        if let base = registration.traits.base { _ = own(base) }
        return registration
    }

    func publish(_ table: RegistrationTable, at front: RegistrationTable) {
        // A reader that finds nothing at the front looks at the table, and not the other way round.
        if front != table {
            self.front.store(front.pointer, ordering: .releasing)
        }
        self.table.store(table.pointer, ordering: .sequentiallyConsistent)
        self.front.store(front.pointer, ordering: .releasing)
    }
}

/// State behind a lock whose use the thread sanitizer can follow: the one lock of this room, whose tests run under it.
///
/// The kernel hands a contended `Mutex` over to the next thread, where the sanitizer does not look: it
/// reports everything that the lock guards (Swift 6.3 still does). So each turn ends with a store that the next turn
/// begins by loading. Next to a lock, that costs nothing.
struct Guarded<State>: ~Copyable, Sendable {
    private let mutex: Mutex<State>
    private let turn = Atomic(false)

    init(_ state: consuming sending State) {
        mutex = Mutex(state)
    }

    /// Calls `body` with the state while no other thread can see it.
    borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { (state) throws(Failure) in
            _ = turn.load(ordering: .acquiring)
            defer { turn.store(true, ordering: .releasing) }
            return try body(&state)
        }
    }
}
