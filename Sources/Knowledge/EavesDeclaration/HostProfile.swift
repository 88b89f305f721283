// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesELF
internal import EavesManifest

/// The versions and the machine that a module must be built for to run in this host.
package struct HostProfile: Hashable, Sendable {
    package var abi: Int
    package var interface: InterfaceVersion
    /// The host's Swift series, such as `6.3`. Numbers after the second are not compared.
    package var compiler: String
    package var machine: ELFMachine
    /// Other Swift series whose modules the manifest allows.
    package var otherCompilers: [String] = []
    package var interfaces: [ProgramInterface] = []

    package init(
        abi: Int, interface: InterfaceVersion, compiler: String, machine: ELFMachine = .current
    ) {
        self.abi = abi
        self.interface = interface
        self.compiler = compiler
        self.machine = machine
    }

    /// The first reason why a module with this build tag cannot run here; `nil` if it can.
    package func compatibilityProblem(of tag: BuildTag) -> CompatibilityProblem? {
        guard tag.abi == abi else { return .abi(built: tag.abi, host: abi) }
        if let built = tag.interface, !interface.serves(built) {
            return .interface(built: built, host: interface)
        }
        if let built = tag.compiler, !takes(built) {
            return .compiler(built: built, host: compiler, others: otherCompilers)
        }
        return nil
    }

    private func takes(_ built: String) -> Bool {
        let series = Self.series(of: built)
        return series == Self.series(of: compiler)
            || otherCompilers.contains { Self.series(of: $0) == series }
    }

    /// The same host with the compilers that a manifest allows.
    package func allowing(compilers: [String]) -> HostProfile {
        var profile = self
        profile.otherCompilers = compilers
        return profile
    }

    /// The name of a compiler's series as a manifest writes it; `nil` if the compiler has no such name.
    package static func seriesName(of compiler: String) -> String? {
        let name = series(of: compiler).joined(separator: ".")
        return Names.isCompilerSeries(name) ? name : nil
    }

    /// The numbers of `6.3`, of `6.3.1` and of `6.3-dev`. Splits by bytes: each module that is looked at comes here.
    package static func series(of compiler: String) -> [String] {
        compiler.utf8.split(separator: UInt8(ascii: "."), maxSplits: 2).prefix(2).map {
            String(decoding: $0.prefix(while: Names.isDigit), as: UTF8.self)
        }
    }
}

/// An interface module that is part of the host's program, so that no file of it is loaded.
package struct ProgramInterface: Hashable, Sendable {
    /// The id by which modules name it in `interfaces`.
    package var id: String
    package var stamp: InterfaceStamp
    /// The id of the module whose own interface it is; `nil` for a common one.
    package var owner: String?

    package init(id: String, module: String, version: InterfaceVersion, owner: String? = nil) {
        self.id = id
        self.owner = owner
        stamp = InterfaceStamp(module: module, version: version)
    }
}

/// One thing that a module is built for and that this host is not.
package enum CompatibilityProblem: Error, Hashable, Sendable {
    case machine(built: ELFMachine, host: ELFMachine)
    case abi(built: Int, host: Int)
    case interface(built: InterfaceVersion, host: InterfaceVersion)
    /// Compared by major and minor version, because the compilers of one series emit code that fits together.
    /// - Parameter others: The series that the manifest allows in addition to the host's.
    case compiler(built: String, host: String, others: [String])

    /// The mismatch with both sides, such as `built for interface 2.0, this host has 1.3`.
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
