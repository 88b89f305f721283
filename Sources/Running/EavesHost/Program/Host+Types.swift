// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

// The types that a program meets, and that rooms below declare: `import EavesHost` is all that a program needs. Each
// is brought along alone, so that no other name of those rooms reaches a program.
@_exported public import struct EavesCatalog.CatalogEntry
@_exported public import struct EavesCatalog.CatalogFeature
@_exported public import enum EavesCatalog.ModuleState
@_exported public import struct EavesDiagnostics.BuildStatus
@_exported public import struct EavesDiagnostics.Diagnostic
public import EavesInterface
@_exported public import enum EavesLife.HostChange
@_exported public import struct EavesLife.HostError
@_exported public import enum EavesLife.HostEvent
@_exported public import struct EavesLife.HostGeneration
@_exported public import struct EavesLife.LivePolicy
@_exported public import struct EavesManifest.BindingShare
@_exported public import struct EavesManifest.ChosenBinding
@_exported public import struct EavesManifest.ManifestEdit
@_exported public import struct EavesModules.LinkedInterface

extension Host {
    /// A step of a host's work.
    public typealias Event = HostEvent
    /// The error of a host, with everything that a person needs to know.
    public typealias Error = HostError
    /// A change of the disk that a host has taken on, or could not.
    public typealias Change = HostChange
    /// One version of a module that a process has loaded.
    public typealias Generation = HostGeneration
}

extension Diagnostic {
    /// The exit code of a command that ends because of this. The numbers are those of `sysexits.h`, and
    /// `Documentation/Commands.md` lists them.
    public var exitCode: ExitCode { ExitCode(UInt8(clamping: code.rawValue)) }
}
