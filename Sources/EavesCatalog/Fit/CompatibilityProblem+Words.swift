// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

extension CompatibilityProblem {
    /// Both sides of it, such as `built for interface 2.0, this host has 1.3`.
    package var message: String {
        switch self {
        case .machine(let built, let host): "built for \(built), this host is \(host)"
        case .abi(let built, let host): "built for ABI version \(built), this host has \(host)"
        case .interface(let built, let host):
            "built for interface \(built), this host has \(host)"
        case .compiler(let built, let host, let others):
            "built with Swift \(built), this host with Swift \(host)"
                + (others.isEmpty ? "" : ", and the manifest allows ")
                + others.joined(separator: ", ")
        }
    }
}
