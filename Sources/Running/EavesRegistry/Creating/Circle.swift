// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesNative
import EavesInterface

/// Objects that need each other by `completed:`, as long as one of them is incomplete. One thread creates and remembers
/// them, and makes them visible to other threads all at once.
///
/// Each object that is being completed has a level, from 0 on. An instance that is created meanwhile and has got hold
/// of such an object belongs to the lowest level that it has reached, and becomes visible together with the object of
/// that level. An instance that has reached none is visible at once.
///
/// In two cases a factory is called once more, and the instance of the later call counts:
///
/// - It asks for an object whose completion asks for the factory's own instance. Inside of the completion, the factory
///   gets the incomplete object, and the instance of the outer call is dropped.
/// - Another thread runs it, and that thread would wait for this one. This thread takes the turn over, so that the
///   instance of the other thread's call is dropped, with everything that has got hold of it.
///
/// No factory sees an error that one thread alone would not see, and so no error depends on a race.
final class Circle {
    /// The level of an instance that has reached no incomplete object.
    static let none = Int.max

    /// An instance that other threads do not see yet.
    struct Member {
        fileprivate var level: Int
        /// The registration or the lazy value. Kept so that no other one gets the same identity.
        fileprivate let source: AnyObject
        fileprivate let instance: AnyObject
        /// The turn in which it is created; `nil` if no scope keeps it beyond a resolution.
        fileprivate let turn: CreationTurn?
        /// A function that makes it visible to other threads.
        fileprivate let publish: () -> Void

        init<Service: Sendable>(
            _ service: Service, of source: AnyObject, turn: CreationTurn?, level: Int,
            publish: @escaping () -> Void
        ) {
            self.source = source
            self.turn = turn
            self.level = level
            self.publish = publish
            instance = BoxedService(service)
        }
    }

    private var members: [Member] = []
    /// The objects that are being completed: for each, the place of its registration among those whose factories run.
    /// Outermost first.
    private var completing: [UInt32] = []
    /// The lowest level that the instance which is being created has reached.
    private(set) var reached = none

    /// The instance of a factory that other threads do not see yet, if there is one. The instance that is being created
    /// has then reached its level.
    func instance<Service>(of factory: Factory<Service>) -> Service? { find(factory) }

    /// The instance of a lazy value that other threads do not see yet, as ``instance(of:)`` of a factory.
    func instance<Service>(of lazy: LazyInstance<Service>) -> Service? { find(lazy) }

    private func find<Service: Sendable>(_ source: AnyObject) -> Service? {
        guard let member = members.last(where: { $0.source === source }) else { return nil }
        reached = min(reached, member.level)
        // SAFETY: a member has exactly this type with a factory or a lazy value of the service.
        return unsafeDowncast(member.instance, to: BoxedService<Service>.self).service
    }

    func contains(_ registration: Registration) -> Bool {
        members.contains { $0.source === registration }
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

    func add(_ member: Member) { members.append(member) }

    /// Begins to complete an object. From now on, what is created for it may ask for it.
    ///
    /// - Parameter place: The place that its registration will have among those whose factories run.
    /// - Returns: The value for ``close(_:isComplete:)``.
    fileprivate func open<Service>(
        _ instance: Service, of factory: Factory<Service>, at place: UInt32
    ) -> Int {
        add(Member(instance, of: factory, turn: factory.turn, level: completing.count) {})
        completing.append(place)
        return members.count - 1
    }

    /// Ends completing an object.
    ///
    /// - Returns: The instances to publish with the object, or to drop with it if it is not complete. If the object has
    ///   reached a lower level, they wait for that.
    fileprivate func close(_ mark: Int, isComplete: Bool) -> [Member] {
        completing.removeLast()
        if reached >= completing.count { reached = Self.none }
        let own = members.remove(at: mark)
        if isComplete, reached != Self.none {
            for index in members.indices where members[index].level >= own.level {
                members[index].level = reached
            }
            return []
        }
        let inner = members[mark...].filter { !isComplete || $0.level >= own.level }
        members[mark...].removeAll { !isComplete || $0.level >= own.level }
        return inner
    }

    /// The place of the outermost object that is being completed above a place.
    fileprivate func outermost(above place: UInt32) -> UInt32? {
        completing.first { $0 > place }
    }

    fileprivate var isEmpty: Bool { completing.isEmpty }
}

extension ThreadContext {
    var circle: Circle? {
        // SAFETY: set in `completing`, and released only there.
        record.pointee.circle.map { Unmanaged<Circle>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether a factory that runs may be called once more: an object is being completed that the call can get, and
    /// that the running call has asked for.
    ///
    /// - Parameter place: The place of the innermost call among the factories that run.
    func mayCallAgain(above place: UInt32) -> Bool {
        guard var found = circle?.outermost(above: place) else { return false }
        // An object is complete before it is decorated, so its own decorators do not get it.
        while found > place, running(at: found - 1).traits.decoration?.inner === running(at: found)
        {
            found -= 1
        }
        return found > place
    }

    /// Calls `complete`, and meanwhile lets what it resolves come back to an object.
    ///
    /// - Returns: The instances to publish with the object.
    /// - Throws: The error of `complete`. All instances that have got hold of the object are dropped.
    func completing<Service>(
        _ instance: Service, of factory: Factory<Service>,
        _ complete: () throws(ResolutionError) -> Void
    ) throws(ResolutionError) -> [Circle.Member] {
        let circle = circle ?? Circle()
        // SAFETY: the outermost call gives the reference back, below.
        if record.pointee.circle == nil {
            record.pointee.circle = Unmanaged.passRetained(circle).toOpaque()
        }
        defer {
            if circle.isEmpty, let ended = record.pointee.circle {
                record.pointee.circle = nil
                // SAFETY: gives back the reference that was taken above, by the outermost call.
                Unmanaged<Circle>.fromOpaque(ended).release()
            }
        }
        let mark = circle.open(instance, of: factory, at: record.pointee.depth)
        do throws(ResolutionError) {
            try complete()
        } catch {
            circle.close(mark, isComplete: false).forEach(drop)
            if factory.scope == .graph { graph.forget(factory) }
            throw error
        }
        return circle.close(mark, isComplete: true)
    }

    /// Publishes instances that belong together, unless another thread has taken one of their turns over. Then all of
    /// them are dropped.
    ///
    /// - Returns: Whether they were published.
    func publish(_ members: [Circle.Member]) -> Bool {
        let turns = members.compactMap(\.turn)
        let isPublished = CreationTurn.end(turns, by: thread) {
            for member in members { member.publish() }
        }
        if !isPublished { members.forEach(drop) }
        return isPublished
    }

    private func drop(_ member: Circle.Member) {
        guard let registration = member.source as? Registration else { return }
        guard let turn = member.turn else { return graph.forget(registration) }
        giveUp(turn, of: registration)
    }

    /// Returns the turn of a call without a result, unless an outer call of the same factory goes on on this thread, or
    /// another instance of it waits to be published.
    func giveUp(_ turn: CreationTurn, of registration: Registration) {
        guard circle?.contains(registration) != true,
            !running.dropFirst(Int(lentDepth)).contains(where: { $0 === registration })
        else { return }
        turn.end(by: thread)
    }
}
