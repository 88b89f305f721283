// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesSystem

/// The environment of a process that runs modules apart from a host: the few variables without which programs do not find
/// their libraries, their language, their time zone and their user's folders.
package enum ModuleEnvironment {
    private static let kept: Set = [
        "HOME", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "LOGNAME", "PATH", "TMPDIR", "TZ", "USER",
        "XDG_CONFIG_HOME",
    ]

    /// Those that tell nothing about the user.
    private static let harmless: Set = ["LANG", "LANGUAGE", "LD_LIBRARY_PATH", "TZ"]

    /// The environment of a process that gets no more than the names that it may have.
    ///
    /// - Parameters:
    ///   - environment: The environment of the process that starts it.
    ///   - names: Those that it may have besides.
    ///   - resolves: Whether it asks for the addresses of names.
    package static func walled(
        from environment: Environment, allowing names: [String], resolves: Bool
    ) -> Environment {
        var made = make(from: environment, harmless.union(names))
        // The C library asks for one address after the other then, in a way that names no place to send to.
        if resolves { made["RES_OPTIONS"] = "single-request" }
        return made
    }

    /// - Parameter environment: The environment of the process that starts it.
    package static func make(from environment: Environment) -> Environment {
        make(from: environment, kept)
    }

    private static func make(from environment: Environment, _ kept: Set<String>) -> Environment {
        var made = Environment(
            environment.entries.filter { entry in
                let name = String(entry.prefix { $0 != "=" })
                return kept.contains(name) || name.hasPrefix("LC_")
            })
        // The process's own report tells the place of a crash, and takes no seconds for it.
        made["SWIFT_BACKTRACE"] = "enable=no"
        return made
    }
}
