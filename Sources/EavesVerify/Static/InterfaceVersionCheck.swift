// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesCatalog

/// Compares the versions of the Swift interface.
enum InterfaceVersionCheck: StaticCheck {
    static let id = "interface-version"
    static let meaning = "it is built for this host's interface, or an earlier minor version"
    static let needs = [NotePresentCheck.id]

    static func run(_ subject: Subject) -> Finding {
        guard let interface = subject.file.tag?.interface else {
            return .skipped("it uses the C ABI alone")
        }
        return subject.fit(of: BuildTag(abi: subject.profile.abi, interface: interface))
    }
}
