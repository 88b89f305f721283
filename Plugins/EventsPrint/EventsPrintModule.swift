// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CommonInterface
import EavesInterface

/// Prints events: on standard error, or in the host's log if the setting `to` is `log`.
///
/// Standard error is for a person who wants to see the events while they happen. The log, which is shown with
/// `-v`, does not disturb a screen that fills the terminal.
enum EventsPrintModule: Module {
    static func register(in registrar: any Registrar) throws {
        switch try registrar.settings.string("to") ?? "stderr" {
        case "stderr":
            registrar.register((any EventHandler).self, scope: .shared) { _ in
                PrintedEvents { try EventPrinter.standardError.print($0) }
            }
        case "log":
            registrar.register((any EventHandler).self, scope: .shared) { resolver in
                let logger = try resolver.resolve(Logger.self)
                return PrintedEvents { line in logger.info(line) }
            }
        case let other: throw DestinationError(found: other)
        }
    }
}

/// The setting `to` names no place that events can be printed to.
struct DestinationError: Error, CustomStringConvertible {
    let found: String

    var description: String { "setting 'to': expected 'stderr' or 'log', found '\(found)'" }
}
