// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The key of a registration: the service's type, its name, and the types of its arguments.
///
/// Types are compared by identity, so two protocols of the same name are two keys.
struct ServiceKey: Hashable, Sendable {
    /// The service's type if there are no runtime arguments, else the type of the ``ArgumentFactory``,
    /// which has service and arguments as its parameters. A tuple of the argument types would not
    /// tell `(Int, Int)` from `((Int, Int))`.
    let type: ObjectIdentifier
    let name: String?

    @inline(__always)
    private init(type: ObjectIdentifier, name: String?) {
        self.type = type
        self.name = name
    }

    /// The key of a service whose factory takes no runtime arguments.
    @inline(__always)
    static func withoutArguments(_ service: Any.Type, name: String?) -> ServiceKey {
        ServiceKey(type: ObjectIdentifier(service), name: name)
    }

    /// The key of a registration that is not chosen. Nothing outside can ask for it, since its type is private.
    static func alternative<Type>(_ type: Type.Type, module: String?, name: String?) -> ServiceKey {
        // No module id has a zero byte.
        let owner = module ?? ""
        return ServiceKey(
            type: ObjectIdentifier(Alternative<Type>.self),
            name: name.map { "\(owner)\0\($0)" } ?? owner)
    }

    private enum Alternative<Type> {}

    init<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat (each Argument).Type
    ) {
        type =
            Self.takesArguments(repeat each arguments)
            ? ObjectIdentifier(ArgumentFactory<Service, repeat each Argument>.self)
            : ObjectIdentifier(service)
        self.name = name
    }

    @inline(__always)
    static func takesArguments<each Argument>(_ arguments: repeat (each Argument).Type) -> Bool {
        for _ in repeat each arguments { return true }
        return false
    }

    static func types<each Argument>(_ arguments: repeat (each Argument).Type) -> [Any.Type] {
        var types: [Any.Type] = []
        for type in repeat each arguments { types.append(type) }
        return types
    }

    /// The hash that a table uses; never 0. It is cheaper than `Hasher`, and as good for addresses, and
    /// for names, which are not chosen to do harm.
    @inline(__always)
    var hash: UInt {
        guard let name else { return Self.hash(of: type) }
        // It is odd; the hash of a key without a name is even.
        return (UInt(bitPattern: type) ^ Self.hash(of: name)) &* Self.factor | 1
    }

    /// The hash of a key without a name. No other key has the same: types do not stand at odd
    /// addresses, and products with an odd factor differ where the addresses do.
    @inline(__always)
    static func hash(of type: ObjectIdentifier) -> UInt { UInt(bitPattern: type) &* factor }

    /// Spreads all bits of an address to the highest ones: 2 to the 64th, divided by the golden ratio.
    private static var factor: UInt { 0x9E37_79B9_7F4A_7C15 }

    /// The hash of a name: the same for names that are equal by `==`, however they are encoded.
    @inline(__always)
    private static func hash(of name: String) -> UInt {
        let quick = name.utf8.withContiguousStorageIfAvailable { bytes -> UInt? in
            // SAFETY: the raw view has the same bytes and does not leave this closure; each load stays
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
            // Beyond ASCII, texts with different bytes can be equal.
            return all & 0x8080_8080_8080_8080 == 0 ? hash ^ (hash &>> 32) : nil
        }
        return (quick ?? nil) ?? slowHash(of: name)
    }

    @inline(never)
    private static func slowHash(of name: String) -> UInt {
        // A name that equals a text in ASCII has to have the hash of that text.
        name.equivalentASCII.map(hash(of:)) ?? UInt(bitPattern: name.hashValue)
    }
}

extension String {
    /// The text in ASCII that is equal to this one, if there is one.
    ///
    /// Unicode has just three characters beyond ASCII that are canonically equivalent to one in
    /// ASCII. There will be no more, since normal forms are stable.
    fileprivate var equivalentASCII: String? {
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "\u{37E}": text.append(";")  // Greek question mark
            case "\u{1FEF}": text.append("`")  // Greek varia
            case "\u{212A}": text.append("K")  // Kelvin sign
            case _ where scalar.isASCII: text.append(scalar)
            default: return nil
            }
        }
        return String(text)
    }
}
