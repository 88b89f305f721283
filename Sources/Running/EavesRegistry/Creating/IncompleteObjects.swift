// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesReadSections
import EavesInterface

/// Objects that need each other and are not all complete yet. One thread creates and remembers them;
/// other threads do not see them.
///
/// Each object that is being completed has a level, from 0 on. An instance that is created meanwhile
/// and has got hold of one of these objects belongs to the lowest level that it has reached. It becomes
/// visible when that object is complete. An instance that has reached none is visible at once.
final class IncompleteObjects {
    /// The level of an instance that has reached no incomplete object.
    static let none = Int.max

    private final class Instance<Service> {
        let service: Service

        init(_ service: Service) {
            self.service = service
        }
    }

    private struct Entry {
        var level: Int
        /// Kept so that no other registration gets the same identity.
        let registration: Registration
        let instance: AnyObject
        /// `nil` while the instance itself is incomplete, even if its level is complete.
        var publish: (() -> Void)?
        let drop: () -> Void
    }

    /// In the order of creation.
    private var entries: [Entry] = []
    /// The objects that are being completed: for each, the place of its registration among those whose
    /// factories run. Outermost first.
    private var completing: [UInt32] = []
    /// How many objects are being completed.
    private var depth: Int { completing.count }
    /// The lowest level that the instance which is being created has reached.
    private(set) var reached = none

    /// The instance of a factory that other threads do not see yet, if there is one. The instance that
    /// is being created has then reached its level.
    func instance<Service>(of factory: Factory<Service>) -> Service? {
        guard let entry = entries.last(where: { $0.registration === factory }) else { return nil }
        reached = min(reached, entry.level)
        // SAFETY: only `add` writes, and stores exactly this type with a factory of the service.
        return unsafeDowncast(entry.instance, to: Instance<Service>.self).service
    }

    /// Begins to create an instance.
    ///
    /// - Returns: The value for ``end(_:)``.
    func begin() -> Int {
        defer { reached = Self.none }
        return reached
    }

    /// Ends creating an instance. The outer instance has reached what this one has.
    ///
    /// - Returns: The level that the instance has reached.
    func end(_ outer: Int) -> Int {
        defer { reached = min(reached, outer) }
        return reached
    }

    /// Begins to complete an object. From now on, resolving may come back to it.
    ///
    /// - Parameters:
    ///   - place: The place that its registration will have among those whose factories run.
    ///   - drop: Is called if the object is not completed.
    /// - Returns: The value for ``complete(_:)`` or ``rollBack(to:)``.
    func open<Service>(
        _ instance: Service, of factory: Factory<Service>, at place: UInt32,
        drop: @escaping () -> Void
    ) -> Int {
        add(instance, of: factory, level: depth, publish: nil, drop: drop)
        completing.append(place)
        return entries.count - 1
    }

    /// The outermost object that is being completed above a place, as the place of its registration.
    func outermost(above place: UInt32) -> UInt32? { completing.first { $0 > place } }

    /// Ends completing an object. The instances of its level are published, or move to the lower level
    /// that the object has reached.
    func complete(_ mark: Int) {
        completing.removeLast()
        if reached >= depth { reached = Self.none }
        let own = entries.remove(at: mark)
        var visible: [() -> Void] = []
        entries = entries.compactMap { entry in
            guard entry.level >= own.level else { return entry }
            guard reached != Self.none else {
                if let publish = entry.publish { visible.append(publish) }
                return nil
            }
            var entry = entry
            entry.level = reached
            return entry
        }
        visible.forEach { $0() }
    }

    /// Ends completing an object that failed. All instances that have reached it are dropped.
    func rollBack(to mark: Int) {
        completing.removeLast()
        let dropped = entries[mark...]
        entries.removeSubrange(mark...)
        if reached >= depth { reached = Self.none }
        dropped.reversed().forEach { $0.drop() }
    }

    /// Remembers an instance that has reached a level.
    ///
    /// - Parameters:
    ///   - publish: Makes it visible to other threads.
    ///   - drop: Is called instead if the object that it has reached is not completed.
    func add<Service>(
        _ instance: Service, of factory: Factory<Service>, level: Int,
        publish: (() -> Void)?, drop: @escaping () -> Void
    ) {
        entries.append(
            Entry(
                level: level, registration: factory, instance: Instance(instance),
                publish: publish, drop: drop))
    }

    /// Whether no object is being completed.
    var isEmpty: Bool { completing.isEmpty }
}

extension ThreadContext {
    /// The incomplete objects of the thread; `nil` if there are none.
    var incompleteObjects: IncompleteObjects? {
        // SAFETY: set in `completing`, and released only there.
        record.pointee.circle.map {
            Unmanaged<IncompleteObjects>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// The outermost object that is being completed above a place, as the registration that gives it to
    /// those who ask. `nil` if there is none, or if only a caller can ask for it.
    ///
    /// - Parameter place: A place among the registrations whose factories run.
    func completing(above place: UInt32) -> Registration? {
        guard var found = incompleteObjects?.outermost(above: place) else { return nil }
        // A decorator's registration stands on the one that it decorates.
        while found > 0, running(at: found - 1).traits.decoration?.inner === running(at: found) {
            found -= 1
        }
        let registration = running(at: found)
        let canBeFirst =
            registration.request.arguments.isEmpty && !registration.traits.isAwaited
        return found > place && canBeFirst ? registration : nil
    }

    /// Calls `complete`, and meanwhile lets what it resolves come back to an object.
    ///
    /// - Parameters:
    ///   - instance: The object.
    ///   - factory: The factory that created it.
    ///   - drop: Forgets the object; called if `complete` throws.
    /// - Throws: What `complete` throws.
    func completing<Service>(
        _ instance: Service, of factory: Factory<Service>, drop: @escaping () -> Void,
        _ complete: () throws(ResolutionError) -> Void
    ) throws(ResolutionError) {
        let objects = incompleteObjects ?? IncompleteObjects()
        // SAFETY: the outermost call gives the reference back, below.
        if record.pointee.circle == nil {
            record.pointee.circle = Unmanaged.passRetained(objects).toOpaque()
        }
        defer {
            if objects.isEmpty, let ended = record.pointee.circle {
                record.pointee.circle = nil
                // SAFETY: gives back the reference that was taken above, by the outermost call.
                Unmanaged<IncompleteObjects>.fromOpaque(ended).release()
            }
        }
        let mark = objects.open(
            instance, of: factory, at: record.pointee.depth, drop: drop)
        do throws(ResolutionError) {
            try complete()
        } catch {
            objects.rollBack(to: mark)
            throw error
        }
        objects.complete(mark)
    }
}
