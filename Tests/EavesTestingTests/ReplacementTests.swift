// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesInterface
import EavesTesting
import Testing

@Suite("replacements in a test container")
struct ReplacementTests {
    private final class Number: Sendable {
        let value: Int

        init(_ value: Int) {
            self.value = value
        }
    }

    private enum NumberModule: Module {
        static func register(in registrar: any Registrar) {
            registrar.register(Number.self, scope: .shared) { _ in Number(1) }
        }
    }

    @Test("are undone, and what the module registered answers again")
    func undo() throws {
        let container = try TestContainer()
        try container.load(NumberModule.self)
        let original: Number = try container.resolve()
        let replacement = container.replace(Number.self) { _ in Number(2) }
        #expect(try container.resolve(Number.self).value == 2)
        replacement.undo()
        #expect(try container.resolve(Number.self) === original)
    }

    @Test("give way to a module that was loaded meanwhile")
    func loadedMeanwhile() throws {
        let container = try TestContainer()
        let replacement = container.replace(Number.self) { _ in Number(2) }
        try container.load(NumberModule.self)
        #expect(try container.resolve(Number.self).value == 2)
        replacement.undo()
        #expect(try container.resolve(Number.self).value == 1)
    }
}
