// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// What a registration is found by: the service's type, its name, and the types of its arguments.
///
/// Types are compared by identity, so two protocols of the same name never meet.
struct ServiceKey: Hashable, Sendable {
    /// The service's type if there are no runtime arguments, else the type of the factory, which
    /// has service and arguments as its parameters. So no two kinds of factories share a key: the
    /// tuple of the argument types would not tell `(Int, Int)` from `((Int, Int))`.
    let type: ObjectIdentifier
    let name: String?

    @inline(__always)
    private init(type: ObjectIdentifier, name: String?) {
        self.type = type
        self.name = name
    }

    /// The key of what is made without runtime arguments.
    @inline(__always)
    static func plain(_ service: Any.Type, name: String?) -> ServiceKey {
        ServiceKey(type: ObjectIdentifier(service), name: name)
    }

    /// The key of what is not chosen: nobody can ask for it, since nobody knows the type.
    ///
    /// - Parameters:
    ///   - type: What the key of the chosen one has.
    ///   - module: The id of the module; `nil` is the host.
    ///   - name: The name it is registered under, if any.
    static func alternative<Type>(
        _ type: Type.Type, module: String?, name: String?
    ) -> ServiceKey {
        // Ids have no zero byte.
        let owner = module ?? ""
        return ServiceKey(
            type: ObjectIdentifier(Alternative<Type>.self),
            name: name.map { "\(owner)\0\($0)" } ?? owner)
    }

    private enum Alternative<Type> {}

    /// - Parameters:
    ///   - service: The service's type.
    ///   - name: The name it is registered under, if any.
    ///   - arguments: The types of the runtime arguments, in order.
    init<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat (each Argument).Type
    ) {
        type =
            Self.takesArguments(repeat each arguments)
            ? ObjectIdentifier(Factory<Service, repeat each Argument>.self)
            : ObjectIdentifier(service)
        self.name = name
    }

    /// Whether there are any.
    @inline(__always)
    static func takesArguments<each Argument>(_ arguments: repeat (each Argument).Type) -> Bool {
        for _ in repeat each arguments { return true }
        return false
    }

    /// Where a table looks for it. Cheaper than `Hasher`, and as good for what keys are made of:
    /// addresses, and names that nobody chooses to harm. Never 0.
    @inline(__always)
    var hash: UInt {
        guard let name else { return Self.hash(of: type) }
        // Odd, as no key's without a name is.
        return (UInt(bitPattern: type) ^ Self.hash(of: name)) &* Self.factor | 1
    }

    /// The hash of the key without a name. Nothing else has it: types do not stand at odd addresses,
    /// and no two products with an odd factor are the same.
    @inline(__always)
    static func hash(of type: ObjectIdentifier) -> UInt { UInt(bitPattern: type) &* factor }

    /// Takes all bits of an address to the highest ones: 2 to the 64th, by the golden ratio.
    private static var factor: UInt { 0x9E37_79B9_7F4A_7C15 }

    /// - Returns: The same for names that are equal, as `==` has it.
    @inline(__always)
    private static func hash(of name: String) -> UInt {
        let quick = name.utf8.withContiguousStorageIfAvailable { bytes -> UInt? in
            // SAFETY: the raw view is of the same bytes, and used in here only; each load stays
            // below its count.
            let raw = UnsafeRawBufferPointer(bytes)
            var hash = UInt(raw.count)
            var all: UInt = 0
            var index = 0
            while index + 8 <= raw.count {
                let word = raw.loadUnaligned(fromByteOffset: index, as: UInt.self)
                all |= word
                hash = (hash ^ word) &* 0xD6E8_FEB8_6659_FD93
                hash ^= hash &>> 32
                index += 8
            }
            var rest: UInt = 0
            while index < raw.count {
                rest = rest &<< 8 | UInt(raw[index])
                index += 1
            }
            all |= rest
            hash = (hash ^ rest) &* 0xD6E8_FEB8_6659_FD93
            // Beyond ASCII, texts of different bytes can be equal.
            return all & 0x8080_8080_8080_8080 == 0 ? hash ^ (hash &>> 32) : nil
        }
        return (quick ?? nil) ?? slowHash(of: name)
    }

    @inline(never)
    private static func slowHash(of name: String) -> UInt {
        // What is equal to a text in ASCII has to be found where that is.
        name.equivalentASCII.map(hash(of:)) ?? UInt(bitPattern: name.hashValue)
    }
}
