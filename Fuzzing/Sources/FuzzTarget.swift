// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CFuzzer
import EavesDiagnostics
import EavesDeclaration
import EavesSystem

/// Checks one input. libFuzzer calls it with each input.
@c(LLVMFuzzerTestOneInput)
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    // SAFETY: libFuzzer passes `size` bytes at `data`, which may be NULL for none.
    FuzzTarget.chosen.check(Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
}

/// Makes a new input out of another one. libFuzzer calls it.
///
/// Changes ELF files by their structure half of the time, and lets libFuzzer change them otherwise.
@c(LLVMFuzzerCustomMutator)
public func mutate(
    _ data: UnsafeMutablePointer<UInt8>?, _ size: Int, _ room: Int, _ seed: UInt32
) -> Int {
    var random = SplitMix64(state: UInt64(seed))
    // SAFETY: libFuzzer passes `size` bytes at `data`, which it keeps during the call.
    let bytes = UnsafeMutableBufferPointer(start: data, count: size)
    if FuzzTarget.chosen == .module, Bool.random(using: &random),
        ELFMutation.apply(to: bytes, &random)
    {
        return size
    }
    return LLVMFuzzerMutate(data, size, room)
}

/// The parsers that are fuzzed. Each reads texts or bytes that anybody could have put into a
/// folder, or sent.
///
/// A check traps if a parser breaks a rule, which libFuzzer reports with the input.
enum FuzzTarget: String, CaseIterable {
    /// A module's file: header, notes, dynamic section, symbols.
    case module
    /// The JSON text of a module's note.
    case note
    /// `manifest.json` and all edits of it.
    case manifest
    /// `module.json`.
    case declaration
    /// Any JSON text, and edits of it.
    case json
    /// The values of a call from another process.
    case wire
    /// All that a worker sends to its host.
    case worker

    /// The target that `EAVES_FUZZ` names.
    static let chosen: FuzzTarget = {
        let name = Environment.current["EAVES_FUZZ"] ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            preconditionFailure(
                "EAVES_FUZZ has to be one of \(allCases.map(\.rawValue)), not '\(name)'")
        }
        return target
    }()

    /// Checks one input.
    func check(_ bytes: [UInt8]) {
        switch self {
        case .module: ModuleCheck.run(bytes)
        case .note: NoteCheck.run(bytes)
        case .manifest: ManifestCheck.run(bytes)
        case .declaration: DeclarationCheck.run(bytes)
        case .json: JSONCheck.run(bytes)
        case .wire: WireCheck.run(bytes)
        case .worker: WorkerCheck.run(bytes)
        }
    }
}

/// Checks the rule that every message keeps: it says something. It may contain any characters of a file; the
/// layer that prints it escapes them.
enum MessageCheck {
    static func run(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics {
            precondition(!diagnostic.message.isEmpty, "an empty message")
            precondition(diagnostic.fix?.isEmpty != true, "an empty fix")
        }
    }
}
