// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Registrations by key: an open-addressed table that is read while one thread writes.
///
/// A value that points to memory: whoever makes one frees it. It does not own the registrations.
struct RegistrationTable {
    private struct Slot: ~Copyable {
        /// The key's hash; 0 in an empty slot.
        let hash = Atomic<UInt>(0)
        /// Set before the hash, and for good.
        let registration = Atomic<UnsafeRawPointer?>(nil)
    }

    private struct Header {
        /// What is left of a hash when this many bits are shifted out is the first place to look.
        let shift: UInt
        @inline(__always) var mask: UInt { .max &>> shift }
        var capacity: Int { Int(mask) + 1 }
    }

    // SAFETY: points to a header and, behind it, `capacity` initialised slots, until `free`. Whoever
    // reads got it from `Container.table` in a section, and the container frees what it replaced
    // when no section is left that could know it.
    private let header: UnsafeMutablePointer<Header>
    /// How many slots are taken, as the writer knows; readers have no use for it.
    private var count = 0

    /// An empty table with room for as many, and as many again before it is full.
    init(for count: Int) {
        var capacity = 16
        while capacity < count * 4 { capacity *= 2 }
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: MemoryLayout<Header>.stride + capacity * MemoryLayout<Slot>.stride,
            alignment: MemoryLayout<UInt>.alignment)
        header = memory.bindMemory(to: Header.self, capacity: 1)
        header.initialize(to: Header(shift: UInt(capacity.leadingZeroBitCount + 1)))
        let slots = Self.slots(of: header)
        for index in 0..<capacity { (slots + index).initialize(to: Slot()) }
    }

    /// A table as it stands in a container's atomic.
    @inline(__always)
    init(_ pointer: UnsafeRawPointer) {
        // SAFETY: only `pointer` of a table is ever stored there.
        header = UnsafeMutablePointer(mutating: pointer.assumingMemoryBound(to: Header.self))
    }

    /// The table, for a container's atomic.
    var pointer: UnsafeRawPointer { UnsafeRawPointer(header) }

    /// What it takes.
    var bytes: Int {
        MemoryLayout<Header>.stride + header.pointee.capacity * MemoryLayout<Slot>.stride
    }

    /// Another half of it may be taken before probing grows long.
    var hasRoom: Bool { (count + 1) * 2 <= header.pointee.capacity }

    /// The registration of a key, to be used within the section.
    @inline(__always)
    func find(_ key: ServiceKey) -> Unmanaged<Registration>? {
        // Without a name there is nothing to compare beyond the hash.
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

    /// Adds a registration whose key is not in it. One thread at a time, and only if it has room.
    mutating func add(_ registration: Registration) {
        let slots = Self.slots(of: header)
        var place = registration.hash >> header.pointee.shift
        while slots[Int(place)].hash.load(ordering: .relaxed) != 0 {
            place = (place + 1) & header.pointee.mask
        }
        let slot = slots + Int(place)
        // SAFETY: the container's records own the registration as long as a table holds it.
        let pointer = UnsafeRawPointer(Unmanaged.passUnretained(registration).toOpaque())
        slot.pointee.registration.store(pointer, ordering: .relaxed)
        slot.pointee.hash.store(registration.hash, ordering: .releasing)
        count += 1
    }

    /// Ends it. Nobody may read it any more.
    func free() {
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
