// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Objects that need each other, of which some are not complete: made and remembered by one thread,
/// and not to be seen by others yet.
///
/// Each object that is being completed has a level, from 0 on. Whatever is made meanwhile, and has
/// got hold of one of them, belongs to the lowest level that it has reached, and becomes visible
/// when that is complete. What has reached none of them is visible at once.
final class Circle {
    /// The level of what has reached none.
    static let outside = Int.max

    private final class Instance<Service> {
        let service: Service

        init(_ service: Service) {
            self.service = service
        }
    }

    private struct Entry {
        var level: Int
        /// Keeps the identity from becoming another's.
        let registration: Registration
        let instance: AnyObject
        /// `nil` while the instance is not yet to be had by others, even if its level is complete.
        var publish: (() -> Void)?
        let drop: () -> Void
    }

    /// In the order in which they were made.
    private var entries: [Entry] = []
    /// How many are being completed.
    private var depth = 0
    /// The lowest level that has been reached by what the thread is making.
    private(set) var reached = outside

    /// The instance of a factory that others do not see yet, if there is one.
    func instance<Service>(of factory: ServiceFactory<Service>) -> Service? {
        guard let entry = entries.last(where: { $0.registration === factory }) else { return nil }
        reached = min(reached, entry.level)
        // SAFETY: `add` is the only writer, and stores just this type with a factory of the service.
        return unsafeDowncast(entry.instance, to: Instance<Service>.self).service
    }

    /// Begins to make something.
    ///
    /// - Returns: Hand it to ``end(_:)``.
    func begin() -> Int {
        defer { reached = Self.outside }
        return reached
    }

    /// Ends making it; whoever makes more around it has reached what it has.
    ///
    /// - Returns: The level that it has reached.
    func end(_ outer: Int) -> Int {
        defer { reached = min(reached, outer) }
        return reached
    }

    /// Begins to complete an object. What is resolved from now on may come back to it.
    ///
    /// - Parameter drop: Called if it is not completed.
    /// - Returns: Hand it to ``complete(_:)`` or ``rollBack(to:)``.
    func open<Service>(
        _ instance: Service, of factory: ServiceFactory<Service>, drop: @escaping () -> Void
    ) -> Int {
        add(instance, of: factory, level: depth, publish: nil, drop: drop)
        depth += 1
        return entries.count - 1
    }

    /// Ends completing an object. What belongs to its level is published, or belongs to the lower one
    /// that the object has reached.
    func complete(_ mark: Int) {
        depth -= 1
        if reached >= depth { reached = Self.outside }
        let own = entries.remove(at: mark)
        var visible: [() -> Void] = []
        entries = entries.compactMap { entry in
            guard entry.level >= own.level else { return entry }
            guard reached != Self.outside else {
                if let publish = entry.publish { visible.append(publish) }
                return nil
            }
            var entry = entry
            entry.level = reached
            return entry
        }
        visible.forEach { $0() }
    }

    /// Ends completing an object that failed. All that has reached it is dropped.
    func rollBack(to mark: Int) {
        depth -= 1
        let dropped = entries[mark...]
        entries.removeSubrange(mark...)
        if reached >= depth { reached = Self.outside }
        dropped.reversed().forEach { $0.drop() }
    }

    /// Keeps something that has reached a level.
    ///
    /// - Parameters:
    ///   - publish: Lets others have it.
    ///   - drop: Called instead if what it has reached is not completed.
    func add<Service>(
        _ instance: Service, of factory: ServiceFactory<Service>, level: Int,
        publish: (() -> Void)?, drop: @escaping () -> Void
    ) {
        entries.append(
            Entry(
                level: level, registration: factory, instance: Instance(instance),
                publish: publish, drop: drop))
    }

    /// Whether nothing is being completed.
    var isEmpty: Bool { depth == 0 }
}
