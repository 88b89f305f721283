// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CReadSections
import EavesInterface
import Synchronization

/// What factories are given while something is made that others may wait for: the container, and
/// the knowledge of what is being made.
///
/// A factory that hands it to another thread, and waits for what that thread resolves, is still
/// making the same thing. So who resolves through it goes on where the factory stands: to ask for
/// what is being made is a cycle, from whichever thread. When the factory has returned it is no
/// more than the container.
final class MakingResolver: Resolver {
    /// Where a factory stands.
    private struct Making {
        /// What is being made, outermost first.
        let needs: [Registration]
        /// The threads that cannot go on before it is made.
        let builders: [WaitGraph.Builder]
    }

    let container: Container
    fileprivate let maker: WaitGraph.Builder
    /// `nil` when the factory has returned, so that who keeps the resolver keeps nothing else.
    private let making: Guarded<Making?>
    private let isOver = Atomic(false)

    private init(_ container: Container, for reader: Reader) {
        self.container = container
        maker = reader.builder
        making = Guarded(Making(needs: reader.needs, builders: reader.builders))
    }

    /// Calls `body` with a resolver that knows what the thread is making.
    static func lend<Result>(
        for reader: Reader, in container: Container, _ body: (any Resolver) throws -> Result
    ) rethrows -> Result {
        let resolver = MakingResolver(container, for: reader)
        let outer = reader.exchangeMaking(resolver)
        defer {
            reader.pointee.making = outer
            resolver.end()
        }
        return try body(resolver)
    }

    func resolve<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionError) -> Service {
        do throws(ResolutionFailure) {
            return try find(service, name: name)
        } catch {
            throw error.error
        }
    }

    func find<Service: Sendable>(
        _ service: Service.Type, name: String?
    ) throws(ResolutionFailure) -> Service {
        try goingOn { () throws(ResolutionFailure) in try container.find(service, name: name) }
    }

    func resolve<Service: Sendable, each Argument>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        do throws(ResolutionFailure) {
            return try goingOn { () throws(ResolutionFailure) in
                try container.find(service, name: name, arguments: repeat each arguments)
            }
        } catch {
            throw error.error
        }
    }

    var changes: ChangeCounter? { container.changes }

    func lend(_ service: Any.Type, name: String?) -> Loan {
        container.lend(service, name: name)
    }

    func resolveAsync<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) async throws(ResolutionError) -> Service {
        let found: FoundService<Service>
        do throws(ResolutionFailure) {
            found = try goingOn { () throws(ResolutionFailure) in
                try container.look(for: service, name: name, repeat each arguments)
            }
        } catch {
            throw error.error
        }
        return try await container.make(found, repeat each arguments)
    }

    @MainActor
    func resolveOnMainActor<Service: Sendable, each Argument: Sendable>(
        _ service: Service.Type, name: String?, arguments: repeat each Argument
    ) throws(ResolutionError) -> Service {
        do throws(ResolutionFailure) {
            return try goingOn { () throws(ResolutionFailure) in
                try container.findOnMainActor(service, name: name, repeat each arguments)
            }
        } catch {
            throw error.error
        }
    }

    /// The threads that wait until what is being made is there.
    fileprivate var builders: [WaitGraph.Builder] { making.withLock { $0?.builders ?? [] } }

    /// Runs `body` where the factory stands.
    func goingOn<Result>(
        _ body: () throws(ResolutionFailure) -> Result
    ) throws(ResolutionFailure) -> Result {
        let reader = eaves_reader_current()
        // What the maker's own thread is making stands in its record.
        if isOver.load(ordering: .acquiring) || reader.builder == maker { return try body() }
        guard let making = making.withLock({ $0 }) else { return try body() }
        let before = reader.enter()
        let outer = reader.exchangeMaking(self)
        let bits = making.needs.map(reader.push)
        defer {
            bits.reversed().forEach(reader.pop)
            reader.pointee.making = outer
            reader.leave(before)
        }
        return try body()
    }

    private func end() {
        isOver.store(true, ordering: .releasing)
        let ended = making.withLock { making in
            defer { making = nil }
            return making
        }
        // Released here, where no lock is held.
        withExtendedLifetime(ended) {}
    }
}

extension UnsafeMutablePointer<eaves_reader> {
    /// The thread, for the ``WaitGraph``.
    var builder: WaitGraph.Builder { UInt(bitPattern: self) }

    /// The thread, and those for whom it makes what it makes.
    var builders: [WaitGraph.Builder] { (making?.builders ?? []) + [builder] }

    /// Whether the innermost thing that it is building is built on this thread.
    var isBuildingItself: Bool { making.map { $0.maker == builder } ?? true }

    /// What the thread has lent, if it makes something that others may wait for.
    fileprivate var making: MakingResolver? {
        // SAFETY: set by `exchangeMaking`, whose caller keeps it alive until it is set back.
        pointee.making.map { Unmanaged<MakingResolver>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Notes what the thread has lent.
    ///
    /// - Parameter resolver: To be kept alive by the caller, who sets back what stood there.
    /// - Returns: What stood there.
    fileprivate func exchangeMaking(_ resolver: MakingResolver) -> UnsafeMutableRawPointer? {
        defer {
            // SAFETY: the caller keeps it alive.
            pointee.making = Unmanaged.passUnretained(resolver).toOpaque()
        }
        return pointee.making
    }
}
