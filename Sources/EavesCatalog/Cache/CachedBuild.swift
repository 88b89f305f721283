// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesELF

/// What a module is built for. Most modules of a folder are built alike: a cache has it once, and what
/// they were built from with each of them.
struct CachedBuild: Hashable, Sendable {
    let machine: ELFMachine
    /// Without the digest of the inputs.
    private(set) var tag: BuildTag

    init(machine: ELFMachine, tag: BuildTag) {
        self.machine = machine
        self.tag = tag
        self.tag.inputs = nil
    }

    init?(_ cursor: inout CacheCursor) {
        guard let machine = cursor.integer(as: UInt16.self),
            let abi = cursor.integer(as: Int64.self),
            let hasInterface = cursor.integer(as: UInt8.self)
        else { return nil }
        var interface: InterfaceVersion?
        if hasInterface != 0 {
            guard let major = cursor.integer(as: Int64.self),
                let minor = cursor.integer(as: Int64.self)
            else { return nil }
            interface = InterfaceVersion(major: Int(major), minor: Int(minor))
        }
        guard let compiler = cursor.optionalText(), let target = cursor.optionalText()
        else { return nil }
        self.machine = ELFMachine(rawValue: machine)
        tag = BuildTag(abi: Int(abi), interface: interface, compiler: compiler, target: target)
    }

    func write(to text: inout CacheText) {
        text.add(machine.rawValue)
        text.add(Int64(tag.abi))
        text.add(UInt8(tag.interface == nil ? 0 : 1))
        if let interface = tag.interface {
            text.add(Int64(interface.major))
            text.add(Int64(interface.minor))
        }
        text.add(tag.compiler)
        text.add(tag.target)
    }

    /// Whether a host takes what is built like this.
    func fits(_ host: HostProfile) -> Bool {
        machine == host.machine && host.compatibilityProblem(of: tag) == nil
    }
}
