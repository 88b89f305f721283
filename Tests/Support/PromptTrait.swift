// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import Testing

/// Lets a test go on as soon as it can, before the tests that have not begun.
///
/// Each test that waits for a process of the testing library (`processExitsWith`) needs this, and the gate looks for it.
/// A child that has ended waits until its test goes on, and meanwhile the library asks the system for ended children
/// again and again: it keeps a processor busy, and hears of no other child. So such tests run on the threads of tests
/// that wait, one of which is theirs alone.
package struct PromptTrait: TestTrait, SuiteTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        withUnsafeCurrentTask { $0?.escalatePriority(to: .high) }
        try await OwnThreadsTrait.run(test, testCase, function)
    }
}

extension Trait where Self == PromptTrait {
    /// The trait of tests that wait for a process of the testing library.
    package static var promptly: Self { Self() }
}

extension Trait where Self == TimeLimitTrait {
    /// Ends what does not end by itself. The limit is longer than any single wait of a test.
    package static var patiently: Self {
        .timeLimit(.minutes(max(30, Int(Patience.seconds / 40))))
    }
}
