// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEaves
import EavesInterface
import Synchronization
import Testing

@Suite("the entry point")
struct EntryPointTests {
    private enum Good: Module {
        static func register(in registrar: any Registrar) throws {
            registrar.register(Int.self) { _ in 1 }
        }
    }

    private enum Bad: Module {
        static func register(in registrar: any Registrar) throws { throw Broken() }
    }

    /// The reason that a module gave, which a C function cannot return.
    private static let reason = Mutex<String?>(nil)

    private func run(_ module: any Module.Type, _ registrar: KeepingRegistrar) -> Int32 {
        var registrar: any Registrar = registrar
        return withUnsafeMutablePointer(to: &registrar) { pointer in
            var host = eaves_host(
                abi_version: UInt32(EAVES_ABI_VERSION), size: UInt32(MemoryLayout<eaves_host>.size),
                registrar: UnsafeMutableRawPointer(pointer),
                register_feature: { _, _ in 1 },
                fail: { _, message in
                    let text = String(cString: message)
                    EntryPointTests.reason.withLock { $0 = text }
                },
                log: { _, _, _ in }, settings: { _ in fatalError("not asked for") },
                path: { _, _ in fatalError("not asked for") },
                register_lifecycle: { _, _ in fatalError("not asked for") })
            return EavesInterface.register(module, with: &host)
        }
    }

    @Test("registers the module with the host's registrar, and passes on its error")
    func register() {
        let registrar = KeepingRegistrar()
        #expect(run(Good.self, registrar) == 0)
        #expect(registrar.kept.map(\.request) == [ServiceRequest(Int.self)])
        #expect(Self.reason.withLock { $0 } == nil)
        #expect(run(Bad.self, registrar) == 1)
        #expect(registrar.kept.count == 1)
        #expect(Self.reason.withLock { $0 } == "it is broken")
    }
}
