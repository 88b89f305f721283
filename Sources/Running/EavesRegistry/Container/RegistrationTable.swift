// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

// SAFETY: one thread writes, at places that no other thread has found yet; everything that threads share is atomic.
/// Finds registrations by key: an open-addressed hash table that many threads read while one writes.
///
/// The value points to memory that its creator has to free. It does not own the registrations.
struct RegistrationTable: Equatable, @unchecked Sendable {
    private struct Slot: ~Copyable {
        /// The key's hash; 0 in an empty slot.
        let hash = Atomic<UInt>(0)
        /// Set before the hash, and never changed.
        let registration = Atomic<UnsafeRawPointer?>(nil)
    }

    private struct Header {
        /// Shifting a hash right by this many bits gives the first slot to look at.
        let shift: UInt
        @inline(__always) var mask: UInt { .max &>> shift }
        var capacity: Int { Int(mask) + 1 }
        /// The number of those that keep the table outside of read sections. It has a cache line of its own: the readers
        /// share that of the header.
        let holders: UnsafeMutablePointer<Atomic<Int>>
    }

    // SAFETY: points to a header and, behind it, `capacity` initialised slots, until `free`. Readers
    // get it from `Container.table` in a read section, and the container frees a table that it
    // replaced when no section is left that could know it.
    private let header: UnsafeMutablePointer<Header>
    /// The number of slots that are taken. Only the writer's value is true, and readers do not use it.
    private var count = 0

    /// An empty table that `count` registrations fill to a quarter at most.
    init(for count: Int) {
        var capacity = 16
        while capacity < count * 4 { capacity *= 2 }
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<Header>.stride + capacity * MemoryLayout<Slot>.stride,
            alignment: MemoryLayout<UInt>.alignment)
        header = memory.bindMemory(to: Header.self, capacity: 1)
        let line = 64
        let holders = UnsafeMutableRawPointer.allocate(byteCount: line, alignment: line)
            .bindMemory(to: Atomic<Int>.self, capacity: 1)
        holders.initialize(to: Atomic(0))
        let shift = UInt(capacity.leadingZeroBitCount + 1)
        header.initialize(to: Header(shift: shift, holders: holders))
        let slots = Self.slots(of: header)
        for index in 0..<capacity { (slots + index).initialize(to: Slot()) }
    }

    /// The table that a container's atomic points to.
    @inline(__always)
    init(_ pointer: UnsafeRawPointer) {
        // SAFETY: only `pointer` of a table is ever stored there.
        header = UnsafeMutablePointer(mutating: pointer.assumingMemoryBound(to: Header.self))
    }

    var pointer: UnsafeRawPointer { UnsafeRawPointer(header) }

    static func == (one: Self, other: Self) -> Bool { one.header == other.header }

    var bytes: Int {
        MemoryLayout<Header>.stride + header.pointee.capacity * MemoryLayout<Slot>.stride
    }

    /// Whether one more registration leaves it at most half full, so that probing stays short.
    var hasRoom: Bool { (count + 1) * 2 <= header.pointee.capacity }

    /// The registration of a key, valid within the read section.
    @inline(__always)
    func find(_ key: ServiceKey) -> Unmanaged<Registration>? {
        // No other key has the hash of a key without a name.
        key.name == nil
            ? find(hash: ServiceKey.hash(of: key.type)) { _ in true } : findNamed(key)
    }

    @inline(never)
    private func findNamed(_ key: ServiceKey) -> Unmanaged<Registration>? {
        find(hash: key.hash) { $0.key == key }
    }

    @inline(__always)
    private func find(
        hash: UInt, where isMeant: (Registration) -> Bool
    ) -> Unmanaged<Registration>? {
        let slots = Self.slots(of: header)
        var place = hash &>> header.pointee.shift
        while true {
            let slot = slots + Int(bitPattern: place)
            let found = slot.pointee.hash.load(ordering: .acquiring)
            if found == hash,
                let pointer = slot.pointee.registration.load(ordering: .relaxed)
            {
                // SAFETY: the hash was stored after the registration, which the container keeps alive.
                let registration = Unmanaged<Registration>.fromOpaque(pointer)
                if registration._withUnsafeGuaranteedRef(isMeant) { return registration }
            }
            if found == 0 { return nil }
            place = (place &+ 1) & header.pointee.mask
        }
    }

    /// All registrations, in no order, valid within the read section.
    var all: [Registration] {
        let slots = Self.slots(of: header)
        return (0..<header.pointee.capacity).compactMap { place in
            guard slots[place].hash.load(ordering: .acquiring) != 0,
                let pointer = slots[place].registration.load(ordering: .relaxed)
            else { return nil }
            // SAFETY: the hash was stored after the registration, which the container keeps alive.
            return Unmanaged<Registration>.fromOpaque(pointer).takeUnretainedValue()
        }
    }

    /// Adds a registration with a new key. Only one thread may do so at a time, and only if there is a free slot.
    mutating func add(_ registration: Registration) {
        let slots = Self.slots(of: header)
        var place = registration.hash >> header.pointee.shift
        while slots[Int(place)].hash.load(ordering: .relaxed) != 0 {
            place = (place + 1) & header.pointee.mask
        }
        let slot = slots + Int(place)
        // SAFETY: the container's records own the registration as long as a table has it.
        let pointer = UnsafeRawPointer(Unmanaged.passUnretained(registration).toOpaque())
        slot.pointee.registration.store(pointer, ordering: .relaxed)
        slot.pointee.hash.store(registration.hash, ordering: .releasing)
        count += 1
    }

    /// Keeps it until it is let go as often. To be called only while it is kept otherwise.
    func hold() { header.pointee.holders.pointee.add(1, ordering: .sequentiallyConsistent) }

    /// Lets it go. It may be freed at once.
    func letGo() { header.pointee.holders.pointee.subtract(1, ordering: .sequentiallyConsistent) }

    /// Whether registrations may be found in it outside of read sections.
    var isHeld: Bool { header.pointee.holders.pointee.load(ordering: .sequentiallyConsistent) > 0 }

    /// Frees the memory. No thread may be reading it.
    func free() {
        header.pointee.holders.deinitialize(count: 1)
        header.pointee.holders.deallocate()
        Self.slots(of: header).deinitialize(count: header.pointee.capacity)
        header.deinitialize(count: 1)
        UnsafeMutableRawPointer(header).deallocate()
    }

    @inline(__always)
    private static func slots(of header: UnsafeMutablePointer<Header>) -> UnsafeMutablePointer<Slot>
    {
        // SAFETY: the slots begin where the header's stride ends, as `init(for:)` laid them out.
        (UnsafeMutableRawPointer(header) + MemoryLayout<Header>.stride)
            .assumingMemoryBound(to: Slot.self)
    }
}
