// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import Synchronization

/// What a program without a registry does.
final class Baselines: Sendable {
    typealias Make<Service> = @Sendable (any Resolver) throws -> Service

    /// Stored closures of the same shape (S), which make what they are asked for.
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

    /// What no registry can be faster than that gives its caller a reference (R).
    @inline(never)
    func copy() -> any Fourth { object }

    @inline(never)
    private static func make() -> any Fourth {
        // So that the compiler cannot know which of them it calls.
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

    /// D.
    @inline(never)
    func find<Service: Sendable>(_ service: Service.Type) -> Service? {
        instances.withLock { $0[ObjectIdentifier(service)] } as? Service
    }
}
