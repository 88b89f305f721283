// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
package import EavesInterface

/// Tables and registrations that were replaced, kept until no thread can be reading them.
///
/// A container frees what it can whenever it changes. If sections are open that began before the change,
/// it asks their threads to clean up, and the last of them to leave its section does.
struct Retirement {
    private struct Item {
        /// Sections that began before it may read the table.
        var epoch: UInt64
        /// The calls that began before it began with the table, or with an earlier one.
        let replaced: UInt64
        let time = ContinuousClock.now
        let table: RegistrationTable
        let registrations: [Registration]
        /// The instances to tell when no thread can read the table any more.
        let retired: RetiredInstances?
        /// Whether it waits for more than its memory.
        var isAwaited: Bool { !registrations.isEmpty || retired != nil }
    }

    /// Registrations out of every thread's reach, to be released where no lock is held.
    struct Released {
        fileprivate(set) var registrations: [Registration] = []
        /// To be told that a table is gone.
        fileprivate(set) var retired: [RetiredInstances] = []

        mutating func end() {
            let told = retired
            for retired in told { retired.noteObjects() }
            registrations = []
            retired = []
            for retired in told { retired.end() }
        }
    }

    private let epochs: CallEpochs
    private var items: [Item] = []
    /// Registrations that calls of threads still have which ask no table any more, and the epoch before which they began.
    private var called: [(registration: Registration, epoch: UInt64)] = []
    /// The calls that began before it take too long, and ask no table.
    private var firstAsking: UInt64 = 0
    private var bytes = 0

    init(noting epochs: CallEpochs) { self.epochs = epochs }

    /// Takes over a table that has just been replaced, and the registrations that only it had.
    ///
    /// - Parameter replaced: An epoch that began before any call could ask the table that takes its place.
    mutating func add(
        _ table: RegistrationTable, replacedIn replaced: UInt64, _ registrations: [Registration],
        _ retired: RetiredInstances?
    ) {
        retired?.begin()
        let item = Item(
            epoch: eaves_epoch_advance(), replaced: replaced, table: table,
            registrations: registrations, retired: retired)
        items.append(item)
        bytes += table.bytes
    }

    /// Whether a call is under way that began with a table which was replaced since.
    var isAskedByCalls: Bool {
        let oldest = epochs.oldest(since: firstAsking).call
        return items.contains { oldest < $0.replaced }
    }

    /// The table with which the calls of an epoch began; `nil` if it was not replaced, or is asked no more.
    func table(since epoch: UInt64) -> RegistrationTable? {
        epoch < firstAsking ? nil : items.first { epoch < $0.replaced }?.table
    }

    /// Lets a table go that is held. Sections that are open now may still read it: they may have got it from the holder.
    mutating func letGo(_ table: RegistrationTable) {
        for index in items.indices where items[index].table == table {
            items[index].epoch = eaves_epoch_advance()
        }
        table.letGo()
    }

    /// Lets calls ask no table any more that was replaced before a time.
    mutating func revoke(before time: ContinuousClock.Instant) {
        guard let first = items.first, first.time < time else { return }
        let oldest = epochs.oldest(since: firstAsking).call
        for index in items.indices
        where items[index].time < time && oldest < items[index].replaced {
            // Sections that are open now may still read it.
            items[index].epoch = eaves_epoch_advance()
            firstAsking = max(firstAsking, items[index].replaced)
        }
    }

    /// Frees the tables that are out of reach.
    ///
    /// - Parameters:
    ///   - limit: The memory that tables alone may take before freeing them is worth the time.
    ///   - note: A function that notes that the container waits for threads to leave their sections. Called before they
    ///     are asked to clean up.
    /// - Returns: The references that they had.
    mutating func reclaim(tablesAbove limit: Int, awaiting note: () -> Void) -> Released {
        var released = Released()
        guard bytes > limit || items.contains(where: \.isAwaited) || !called.isEmpty else {
            return released
        }
        free(&released)
        let awaited = items.filter(\.isAwaited).map(\.epoch) + called.map(\.epoch)
        guard let last = awaited.max() else { return released }
        note()
        eaves_ask_to_clean(last)
        // A thread that left meanwhile may not have noticed.
        free(&released)
        return released
    }

    /// Frees all tables. No thread may be reading them.
    mutating func end() -> Released {
        var released = Released()
        free(items.count, &released)
        letGo(&released) { _ in false }
        return released
    }

    private mutating func free(_ released: inout Released) {
        let oldest = epochs.oldest(since: firstAsking)
        // What a table has may be among the registrations of the items behind it.
        let free = items.prefix {
            $0.epoch <= oldest.section && $0.replaced <= oldest.call && !$0.table.isHeld
        }
        self.free(free.count, &released)
        // SAFETY: the address is compared, and never followed.
        letGo(&released) { eaves_is_called(Unmanaged.passUnretained($0).toOpaque()) }
    }

    private mutating func free(_ number: Int, _ released: inout Released) {
        for item in items.prefix(number) {
            bytes -= item.table.bytes
            item.table.free()
            called += item.registrations.map { ($0, item.epoch) }
            if let retired = item.retired { released.retired.append(retired) }
        }
        items.removeFirst(number)
    }

    private mutating func letGo(
        _ released: inout Released, unless isCalled: (Registration) -> Bool
    ) {
        let first = called.partition { !isCalled($0.registration) }
        released.registrations += called[first...].map(\.registration)
        called.removeSubrange(first...)
    }
}

/// The containers that wait for threads to leave their sections.
enum Reclamation {
    private static let waiting = Guarded<[ObjectIdentifier: WeakContainer]>([:])

    /// Lets the next thread that was asked to clean up look at a container.
    static func wait(for container: Container) {
        waiting.withLock {
            $0[ObjectIdentifier(container)] = WeakContainer(container: container)
        }
    }

    /// Frees what is out of reach by now. Called by threads that were asked, after they have left their
    /// section. Releasing runs `deinit`s of modules, so no lock is held meanwhile.
    static func run() {
        let containers = waiting.withLock { waiting in
            defer { waiting = [:] }
            return waiting.values.compactMap(\.container)
        }
        for container in containers { container.reclaim() }
    }
}

/// The instances of registrations that a container gives out no more: how many of them live, and whether anything that
/// began before is under way.
///
/// It keeps nothing of a module alive. Safe from any thread.
package final class RetiredInstances: Sendable {
    // SAFETY: the object is the one that a Sendable instance is, and nothing uses it.
    /// A registration that was taken back, and its object.
    private struct Item: @unchecked Sendable {
        /// The registration, which goes when no thread can be creating the object any more.
        weak var registration: Registration?
        weak var object: AnyObject?
    }

    private struct State {
        var requests: [ServiceRequest] = []
        var items: [Item] = []
        /// The number of tables that may still be read and have what was taken back, and of generations in which calls
        /// are under way, and one more while it is being taken back.
        var parts = 1
        var observers: [@Sendable () -> Void] = []
    }

    private let state = Guarded(State())

    init() {}

    package var requests: [ServiceRequest] { state.withLock { $0.requests } }

    /// The number of objects that live.
    ///
    /// These are the objects that scopes kept: shared, named and weak ones. Values that are no objects are not
    /// counted, and neither are transient objects, nor those of the graph scope. The container itself keeps
    /// its instances until ``isDrained``.
    package var living: Int {
        noteObjects()
        let objects = state.withLock { $0.items.compactMap { $0.object.map(Held.init) } }
        return withExtendedLifetime(objects) { objects.count }
    }

    /// Notes the objects that exist by now: a factory that was running may have created one. Also called before the
    /// registrations go.
    func noteObjects() {
        let items = state.withLock { $0.items }
        // No lock is held, since this may release an instance that no other code keeps.
        let objects = items.map { $0.object ?? $0.registration?.keptObject }
        let known = zip(items, objects).map { Item(registration: $0.registration, object: $1) }
        state.withLock { state in
            for (index, item) in known.enumerated() where item.object != nil {
                state.items[index] = item
            }
        }
        withExtendedLifetime(objects) {}
    }

    // SAFETY: the object is the one that a Sendable instance is, and nothing uses it.
    /// An object that is kept until no lock is held.
    private struct Held: @unchecked Sendable {
        let object: AnyObject
    }

    /// Whether no resolution, loan or factory can be under way any more that began before, awaited ones included, and,
    /// in a module with a life cycle, no call: none of them gives these instances out, or creates another one.
    ///
    /// Code that keeps a service is not seen, in a task or on a thread: a feature may still run, and so may calls of
    /// the services that it has.
    package var isDrained: Bool { state.withLock { $0.parts == 0 } }

    /// Calls a function once ``isDrained``: at once, or on the thread that leaves last. It must not block that thread.
    package func onDrained(_ observer: @escaping @Sendable () -> Void) {
        let isDrained = state.withLock { state in
            if state.parts > 0 { state.observers.append(observer) }
            return state.parts == 0
        }
        if isDrained { observer() }
    }

    /// Notes what was taken back: readers cannot find it any more. No lock is held, since this may release an
    /// instance that no other code keeps.
    func add(_ outcome: ContainerRecords.Outcome) {
        let removed = outcome.removed
        let kept = Set(outcome.kept.flatMap(\.base.decorationChain).map { ObjectIdentifier($0) })
        let items = removed.flatMap(\.base.decorationChain)
            .filter { $0.keepsInstances && !kept.contains(ObjectIdentifier($0)) }
            .map { Item(registration: $0, object: $0.keptObject) }
        state.withLock { state in
            state.requests += removed.lazy
                .filter { !kept.contains(ObjectIdentifier($0.base)) }.map(\.request)
            state.items += items
        }
    }

    /// Counts the calls that are under way in generations that a container has taken back whole. The container calls
    /// this before it gives these instances to its caller, who may ask whether they have drained.
    func awaitCalls(through gates: [CallGate]) {
        for gate in gates {
            begin()
            gate.end { [self] in end() }
        }
    }

    /// Notes that a table has been replaced that has what was taken back.
    func begin() {
        state.withLock { $0.parts += 1 }
    }

    /// Notes that no thread reads such a table any more, or that everything has been taken back.
    func end() {
        let observers = state.withLock { state in
            state.parts -= 1
            guard state.parts == 0 else { return [] as [@Sendable () -> Void] }
            defer { state.observers = [] }
            return state.observers
        }
        for observer in observers { observer() }
    }
}
