// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization

/// Which factories have asked for the instances of one registration, and, once the registration was taken
/// back, which of these instances live.
///
/// A registration has one from the first note on. It keeps nothing of a module alive: neither the factories
/// that asked, nor the instances.
final class InstanceTrace: Sendable {
    /// A factory that asked. Nodes stay until the trace ends.
    private struct Node: ~Copyable {
        /// A label, of which the node owns a reference.
        let label: Atomic<UnsafeRawPointer>
        let next: UnsafeMutablePointer<Node>?
    }

    private struct Reference {
        weak var object: AnyObject?
        let identity: ObjectIdentifier
    }

    // SAFETY: the object is the one that a Sendable instance is, and nothing uses it.
    /// Keeps an object until no lock is held.
    private struct Held: @unchecked Sendable {
        let object: AnyObject
    }

    private struct State {
        var isRetired = false
        /// The objects since the registration was taken back.
        var objects: [Reference] = []
    }

    /// The registration whose instances these are.
    let label: RegistrationLabel
    // SAFETY: the memory is constant until `deinit`, and has atomics only. Nodes are added under the lock of
    // `state`, and read by threads that keep the registration alive, or the trace.
    /// The factories that asked, in a list for each of the labels' buckets.
    nonisolated(unsafe) private let buckets: UnsafeMutablePointer<Atomic<UnsafeRawPointer?>>
    private let isAskedOutside = Atomic(false)
    private let state = Guarded(State())

    init(of label: RegistrationLabel) {
        self.label = label
        buckets = .allocate(capacity: RegistrationLabel.buckets)
        for bucket in 0..<RegistrationLabel.buckets {
            (buckets + bucket).initialize(to: Atomic(nil))
        }
    }

    deinit {
        for bucket in 0..<RegistrationLabel.buckets {
            var next = first(in: bucket)
            while let node = next {
                next = node.pointee.next
                // SAFETY: gives back the node's reference.
                Unmanaged<RegistrationLabel>.fromOpaque(node.pointee.label.load(ordering: .relaxed))
                    .release()
                node.deinitialize(count: 1)
                node.deallocate()
            }
        }
        buckets.deinitialize(count: RegistrationLabel.buckets)
        buckets.deallocate()
    }

    /// Notes that a factory asks. The same factory of a newer generation takes the place of the older one, so
    /// that there is one note for each place in the source.
    func note(_ asker: RegistrationLabel) {
        if !knows(asker) { add(asker) }
    }

    /// Notes that code outside of factories asks.
    func noteOutside() {
        if !isAskedOutside.load(ordering: .relaxed) {
            isAskedOutside.store(true, ordering: .relaxed)
        }
    }

    private func knows(_ asker: RegistrationLabel) -> Bool {
        // SAFETY: only the address is compared, and the caller has the label meanwhile.
        let wanted = UnsafeRawPointer(Unmanaged.passUnretained(asker).toOpaque())
        var next = first(in: asker.bucket)
        while let node = next {
            if node.pointee.label.load(ordering: .relaxed) == wanted { return true }
            next = node.pointee.next
        }
        return false
    }

    private func add(_ asker: RegistrationLabel) {
        state.withLock { _ in
            let bucket = asker.bucket
            // SAFETY: the reference is the node's.
            let added = UnsafeRawPointer(Unmanaged.passRetained(asker).toOpaque())
            var next = first(in: bucket)
            while let node = next {
                let known = Unmanaged<RegistrationLabel>.fromOpaque(
                    node.pointee.label.load(ordering: .relaxed))
                if known.takeUnretainedValue().isAlike(asker) {
                    // Others compare the address with that of a label which they keep alive themselves, so
                    // that it cannot be that of a label which has gone.
                    node.pointee.label.store(added, ordering: .relaxed)
                    known.release()
                    return
                }
                next = node.pointee.next
            }
            let node = UnsafeMutablePointer<Node>.allocate(capacity: 1)
            node.initialize(to: Node(label: Atomic(added), next: first(in: bucket)))
            buckets[bucket].store(UnsafeRawPointer(node), ordering: .releasing)
        }
    }

    private func first(in bucket: Int) -> UnsafeMutablePointer<Node>? {
        buckets[bucket].load(ordering: .acquiring).map {
            UnsafeMutablePointer(mutating: $0.assumingMemoryBound(to: Node.self))
        }
    }

    /// All that asked: factories in the order of their modules and places, then code outside of factories.
    var askers: [InstanceAsker] {
        let sorted = factories.sorted { $0.description < $1.description }
        return sorted + (isAskedOutside.load(ordering: .relaxed) ? [.outside] : [])
    }

    /// The factories that asked, in no order.
    var factories: [InstanceAsker] {
        state.withLock { _ in
            (0..<RegistrationLabel.buckets).flatMap { bucket -> [InstanceAsker] in
                var found: [InstanceAsker] = []
                var next = first(in: bucket)
                while let node = next {
                    // SAFETY: the node has a reference, and changes it under this lock only.
                    let label = Unmanaged<RegistrationLabel>.fromOpaque(
                        node.pointee.label.load(ordering: .relaxed)
                    ).takeUnretainedValue()
                    found.append(
                        .factory(label.request, module: label.module, place: label.place))
                    next = node.pointee.next
                }
                return found
            }
        }
    }

    /// Remembers an instance from now on, if it is an object: the registration was taken back.
    func retire(_ instance: () -> (any Sendable)?) {
        state.withLock { $0.isRetired = true }
        // Read after that: whoever creates an instance later finds out and remembers it.
        if let instance = instance() { remember(instance) }
    }

    /// Remembers a new instance if the registration was taken back.
    func noteCreated(_ instance: any Sendable) {
        if state.withLock({ $0.isRetired }) { remember(instance) }
    }

    private func remember(_ instance: any Sendable) {
        state.withLock { state in
            guard let object = InstanceTrace.object(in: instance) else { return }
            let identity = ObjectIdentifier(object)
            // An object that is gone may have had the same address.
            state.objects.removeAll { $0.identity == identity }
            state.objects.append(Reference(object: object, identity: identity))
        }
    }

    /// How many instances live.
    var living: Int {
        let objects = state.withLock { state in
            state.objects.compactMap { $0.object.map(Held.init) }
        }
        return withExtendedLifetime(objects) { objects.count }
    }

    /// The object that a value is, also as an optional.
    static func object(in value: Any) -> AnyObject? {
        if let optional = value as? any AnyOptional { return optional.value.flatMap(object) }
        return type(of: value) is AnyClass ? value as AnyObject : nil
    }
}

private protocol AnyOptional {
    var value: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var value: Any? { map { $0 as Any } }
}

extension Registration {
    /// What is noted of the instances, if there is anything.
    var trace: InstanceTrace? {
        // SAFETY: `openTrace` stored it, and `deinit` releases it.
        traced.load(ordering: .sequentiallyConsistent).map {
            Unmanaged<InstanceTrace>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// The trace, to write a note.
    func openTrace() -> InstanceTrace {
        if let trace { return trace }
        // SAFETY: the reference is stored for `deinit` to release, or released here if another thread was first.
        let new = Unmanaged.passRetained(InstanceTrace(of: label))
        let (isFirst, known) = traced.compareExchange(
            expected: nil, desired: UnsafeRawPointer(new.toOpaque()),
            ordering: .sequentiallyConsistent)
        guard !isFirst, let known else { return new.takeUnretainedValue() }
        new.release()
        // SAFETY: as in `trace`.
        return Unmanaged<InstanceTrace>.fromOpaque(known).takeUnretainedValue()
    }

    /// Whether the scope keeps instances, beyond a resolution.
    var keepsInstances: Bool { scope != .transient && scope != .graph && !isForwarded }

    /// Notes that a factory asks.
    @inline(__always)
    func note(_ asker: RegistrationLabel) {
        // A registration that decorates another one has its label.
        guard asker !== label else { return }
        guard let known = traced.load(ordering: .acquiring) else { return openTrace().note(asker) }
        // SAFETY: as in `trace`; the caller keeps the registration alive.
        Unmanaged<InstanceTrace>.fromOpaque(known)._withUnsafeGuaranteedRef { $0.note(asker) }
    }

    /// Notes that code outside of factories asks.
    func noteAskedOutside() {
        if let kept = kept.load(ordering: .acquiring) {
            guard created.load(ordering: .relaxed) == nil else { return }
            // From now on, such code finds the instance without coming here.
            created.store(kept, ordering: .sequentiallyConsistent)
            trace?.noteOutside()
        } else if scope == .weak || traits.isAwaited {
            openTrace().noteOutside()
        }
    }
}
