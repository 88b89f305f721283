// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDeclaration
package import EavesDiagnostics
import EavesInterface
import EavesLife
package import EavesRegistry

/// Compares what a module registered with what its note declares.
package enum RegistrationCheck {
    package static func run(
        _ registrations: [Registration], against declaration: ModuleDeclaration
    ) throws(RegistrationMismatchError) {
        let interfaces =
            [InterfaceStamp.hostModule] + declaration.interfaces.compactMap(\.built).map(\.module)
        let foreign = registrations.map(\.request.qualifiedService)
            .filter { service in
                !interfaces.contains { service.utf8.starts(with: ($0 + ".").utf8) }
            }
            .map(withoutBuildDigest)
        // A protocol of its own that has a declared name is one mistake, and not three.
        let confused = Set(foreign.map(ServiceName.word))
            .intersection(declaration.provides.map { ServiceName.word($0.service) })
        let isForeign = { (capability: Capability) in confused.contains(capability.word) }
        let registered = registrations.map { Capability($0.request) }
        let declared = declaration.capabilities
        let reserved = declaration.provides.map(\.service).filter {
            ServiceName.isAmong(LazyLoader.hostServices, $0)
        }
        let mismatch = RegistrationMismatchError(
            undeclared: names(registered.filter { !isForeign($0) }, notAmong: declared),
            unregistered: names(declared.filter { !isForeign($0) }, notAmong: registered),
            foreign: foreign.sorted(), reserved: reserved.map(ServiceName.word).sorted(),
            interfaces: interfaces)
        guard mismatch.isEmpty else { throw mismatch }
    }

    /// The capabilities that none of the others can mean, as words.
    private static func names(_ some: [Capability], notAmong others: [Capability]) -> [String] {
        let differing = some.filter { one in !others.contains { $0.agrees(with: one) } }
        return Set(differing.map(\.description)).sorted()
    }

    /// `Weather.Cache` of `Weather_0123456789ab.Cache`: `eaves build` gives each build a module name of
    /// its own, which ends with the beginning of its digest.
    private static func withoutBuildDigest(_ qualified: String) -> String {
        let parts = qualified.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let mark = parts[0].lastIndex(of: "_") else { return qualified }
        let digest = parts[0][mark...].dropFirst()
        guard digest.count == 12, digest.allSatisfy(\.isHexDigit) else { return qualified }
        return "\(parts[0][..<mark]).\(parts[1])"
    }
}

/// A module registered something else than it declares.
package struct RegistrationMismatchError: Error, Hashable, Sendable {
    let undeclared: [String]
    let unregistered: [String]
    /// Registered under a type that is not a protocol of these interfaces, so that no other module could ask for it.
    let foreign: [String]
    /// Registered, but provided by the host itself.
    let reserved: [String]
    /// The Swift modules of the interfaces that the module names, with the host's own.
    var interfaces = [InterfaceStamp.hostModule]

    fileprivate var isEmpty: Bool {
        undeclared.isEmpty && unregistered.isEmpty && foreign.isEmpty && reserved.isEmpty
    }
}

extension RegistrationMismatchError: DiagnosableList {
    package var diagnostics: [Diagnostic] {
        var said: [Diagnostic] = []
        var parts: [String] = []
        if !undeclared.isEmpty {
            parts.append("registers what it does not declare: " + undeclared.abridged(by: ", "))
        }
        if !unregistered.isEmpty {
            parts.append("declares what it does not register: " + unregistered.abridged(by: ", "))
        }
        if !parts.isEmpty {
            said.append(
                Diagnostic(
                    parts.joined(separator: "; "),
                    fix: "make module.json and what the module registers agree, and rebuild it",
                    code: .badData))
        }
        if !foreign.isEmpty {
            said.append(
                Diagnostic(
                    "registers \(foreign.abridged(by: ", ")): expected a protocol of "
                        + interfaces.abridged(by: " or ") + ", which others can ask for",
                    fix: "register it as a protocol of the interface, or of one that module.json "
                        + "names in 'interfaces'", code: .badData))
        }
        if !reserved.isEmpty {
            said.append(
                Diagnostic(
                    "registers \(reserved.abridged(by: ", ")), "
                        + "which the host itself provides",
                    fix: "leave it to the host, and ask for it where it is needed", code: .badData))
        }
        return said
    }
}
