// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface
import Synchronization

/// Misbehaves at the one of four places that the settings name.
enum MisbehavesModule: Module {
    static let calls = Atomic(0)

    static func register(in registrar: any Registrar) throws {
        let settings = registrar.settings
        let (factory, end, launch) = (
            try settings.string("factory"), try settings.string("deinit"),
            try settings.string("launch")
        )
        let isKept = try settings.string("keep") != nil
        let isForgetful = try settings.string("again") != nil
        if let misdeed = try settings.string("register") { try Misdeed(misdeed).commit() }
        let isFirst = calls.add(1, ordering: .relaxed).newValue == 1
        if isFirst || !isForgetful {
            registrar.register((any UserService).self) { _ in
                if let factory { try Misdeed(factory).commit() }
                return Users(end: end, keepsItself: isKept)
            }
        }
        registrar.registerFeature("misbehave") { _ in MisbehaveFeature(misdeed: launch) }
    }
}

/// Misbehaves instead of helping.
struct MisbehaveFeature: Feature {
    let misdeed: String?

    func launch(_ launch: Launch) async throws -> ExitCode {
        switch misdeed {
        case nil:
            try launch.console.print("usage: misbehave")
        case "silence":
            break
        case "work":
            try launch.console.print("working")
        case "failure":
            return .failure
        case let misdeed?:
            try Misdeed(misdeed).commit()
        }
        return .success
    }
}

/// A service without users that misbehaves when it goes.
final class Users: UserService {
    let end: String?
    private let itself = Mutex<Users?>(nil)

    init(end: String?, keepsItself: Bool) {
        self.end = end
        if keepsItself { itself.withLock { $0 = self } }
    }

    deinit {
        if let end { try? Misdeed(end).commit() }
    }

    func users() async throws -> [User] { [] }
}
