// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// All checks, in the order they run. What a check needs stands above it.
package enum CheckList {
    /// A new check is a file in `Static/` and a line here.
    static let statics: [any StaticCheck.Type] = [
        ELFReadableCheck.self,
        PermissionsCheck.self,
        MachineCheck.self,
        NotePresentCheck.self,
        NoteValidCheck.self,
        ABIVersionCheck.self,
        InterfaceVersionCheck.self,
        CompilerCheck.self,
        ManifestEntryCheck.self,
        QuarantineCheck.self,
        EntryPointCheck.self,
        InterfaceNotCarriedCheck.self,
        InterfaceSymbolsCheck.self,
        NeededLibrariesCheck.self,
        ModuleLinksCheck.self,
        ModuleSymbolsCheck.self,
        SymbolsCheck.self,
        LayerCheck.self,
        DeclaredNeedsCheck.self,
        DigestCheck.self,
        SignedCheck.self,
    ]

    /// A new check is a file in `Dynamic/` and a line here.
    static let dynamics: [any DynamicCheck.Type] = [
        LoadsCheck.self,
        RegistersCheck.self,
        DeclarationKeptCheck.self,
        QuickRegistrationCheck.self,
        QuietRegistrationCheck.self,
        NoThreadsCheck.self,
        NoDescriptorsCheck.self,
        ProcessStateCheck.self,
        ServicesCreatedCheck.self,
        ServicesDroppedCheck.self,
        RegistersTwiceCheck.self,
        EndsCheck.self,
        RefusedRegistrationCheck.self,
        UnknownABICheck.self,
        LaterHostCheck.self,
        FeaturesHelpCheck.self,
    ]

    /// Both kinds.
    package static var all: [any Check.Type] {
        statics.map { $0 as any Check.Type } + dynamics.map { $0 as any Check.Type }
    }

    /// The checks of these ids, and those that they need.
    ///
    /// - Parameter ids: `nil` for all.
    static func needed(for ids: Set<String>?) -> Set<String> {
        guard var needed = ids else { return Set(all.map { $0.id }) }
        // From the end, because what a check needs stands above it.
        for check in all.reversed() where needed.contains(check.id) {
            needed.formUnion(check.needs)
        }
        return needed
    }
}
