// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

/// A name on the command line that stands for nothing.
enum LookupFault: Error, Hashable, Sendable {
    case module(String, known: [String])
    case fileOrModule(String, known: [String])
    case noLaunch(manifest: String)
    /// Found by lying in a folder that is searched, so that there is no entry to remove.
    case notListed(String, path: String)
    /// To be built, but there is only its file.
    case noSources(String, path: String)
}

extension LookupFault: Diagnosable {
    var diagnostics: [Diagnostic] {
        switch self {
        case .module(let id, let known):
            [
                Diagnostic(
                    "there is no module '\(id)'" + NearMatch.suffix(for: id, among: known),
                    fix: "see all modules with 'eaves list'", code: .notFound)
            ]
        case .fileOrModule(let word, let known):
            [
                Diagnostic(
                    "there is no file and no module '\(word)'"
                        + NearMatch.suffix(for: word, among: known),
                    fix: "see all modules with 'eaves list'", code: .notFound)
            ]
        case .noLaunch(let manifest):
            [
                Diagnostic(
                    "\(manifest): no feature named, and 'launch' is not set",
                    fix: "name one, 'eaves launch FEATURE', or set \"launch\" in the manifest",
                    code: .usage)
            ]
        case .notListed(let id, let path):
            [
                Diagnostic(
                    "the manifest does not list '\(id)': it is found because \(path) is there",
                    fix: "delete \(path), or switch it off with 'eaves disable \(id)'",
                    code: .notFound)
            ]
        case .noSources(let id, let path):
            [
                Diagnostic(
                    "there are no sources of '\(id)' here, only \(path)",
                    fix: "name their folder: 'eaves build FOLDER -o \(path)'", code: .notFound)
            ]
        }
    }
}
