// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import Testing

/// A container of its own for each test, which ``TestContainer/current`` returns.
///
/// ```swift
/// @Test(.container { try $0.load(WeatherModule.self) })
/// func weather() async throws {
///     let container = try TestContainer.current
///     container.replace((any UserService).self) { _ in MockUsers() }
///     #expect(try await container.launch("weather", ["Berlin"]).exitCode == .success)
/// }
/// ```
///
/// At a suite, it does so for each test in the suite; at a test with arguments, for each case. The
/// container is made before the test's body runs, and is released after it, with every instance that no
/// one else has. If several traits give containers, the innermost one counts.
public struct ContainerTrait: TestTrait, SuiteTrait, TestScoping {
    fileprivate let make: @Sendable () throws -> TestContainer
    fileprivate let prepare: @Sendable (TestContainer) async throws -> Void

    /// The tests of a suite have one container each, and the suite itself has none.
    public var isRecursive: Bool { true }

    /// Runs a test with a new container. The testing library calls this.
    ///
    /// - Parameters:
    ///   - test: The test.
    ///   - testCase: The test's case.
    ///   - function: A function that runs the test's body.
    /// - Throws: The error of making or preparing the container, which fails the test.
    public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let container = try make()
        try await TestContainer.$installed.withValue(container) {
            try await prepare(container)
            try await function()
        }
    }
}

extension Trait where Self == ContainerTrait {
    /// A container for each test that holds what `prepare` and the test add.
    ///
    /// - Parameter prepare: A function that adds modules and mocks before the test's body runs.
    public static func container(
        _ prepare: @escaping @Sendable (TestContainer) async throws -> Void = { _ in }
    ) -> ContainerTrait {
        ContainerTrait(make: { try TestContainer() }, prepare: prepare)
    }

    /// A container for each test with the modules of a manifest.
    ///
    /// - Parameters:
    ///   - path: The `manifest.json`, or its folder. A relative path starts from the current folder.
    ///   - prepare: A function that adds modules and mocks before the test's body runs.
    public static func container(
        manifest path: String,
        _ prepare: @escaping @Sendable (TestContainer) async throws -> Void = { _ in }
    ) -> ContainerTrait {
        ContainerTrait(make: { try TestContainer(manifest: path) }, prepare: prepare)
    }
}

extension TestContainer {
    @TaskLocal fileprivate static var installed: TestContainer?

    /// The container of the running test, which has the trait `.container`.
    ///
    /// The test's tasks and their child tasks have it; detached tasks and threads do not.
    ///
    /// - Throws: ``TestContainerError`` if there is none.
    public static var current: TestContainer {
        get throws(TestContainerError) {
            guard let installed else { throw .noContainer }
            return installed
        }
    }
}
