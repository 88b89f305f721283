// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization

/// The same work in a program without a registry.
final class Baselines: Sendable {
    typealias Make<Service> = @Sendable (any Resolver) throws -> Service

    /// Stored closures of the same shape (S), which create the same objects.
    struct Closures: Sendable {
        var fourth: Make<any Fourth> = { _ in FourthObject(1) }
        var third: Make<any Third>
        var second: Make<any Second>
        var first: Make<any First>

        init() {
            let fourth = fourth
            let third: Make<any Third> = { ThirdObject(try fourth($0)) }
            let second: Make<any Second> = { SecondObject(try third($0)) }
            self.third = third
            self.second = second
            first = { FirstObject(try second($0)) }
        }
    }

    let closures = Closures()
    /// A direct protocol call (P).
    let object: any Fourth = make()

    /// A function that returns a reference (R): no registry that hands over references can be faster.
    @inline(never)
    func copy() -> any Fourth { object }

    @inline(never)
    private static func make() -> any Fourth {
        // The compiler cannot know which of the two it calls.
        CommandLine.arguments.isEmpty ? OtherFourth() : FourthObject(1)
    }

    private struct OtherFourth: Fourth {
        let value = 2
    }

    /// A dictionary of instances under a lock (D).
    private let instances = Mutex<[ObjectIdentifier: any Sendable]>([:])

    init() {
        instances.withLock { $0[ObjectIdentifier((any Fourth).self)] = FourthObject(1) }
    }

    /// Looks an instance up in the dictionary (D).
    @inline(never)
    func find<Service: Sendable>(_ service: Service.Type) -> Service? {
        instances.withLock { $0[ObjectIdentifier(service)] } as? Service
    }
}
