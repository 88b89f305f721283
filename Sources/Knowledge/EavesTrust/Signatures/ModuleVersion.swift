// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics

/// A module's version, as `module.json` has it.
///
/// Versions have the order of Semantic Versioning: the parts between the dots count one by one, numbers
/// as numbers; `1.0` is `1.0.0`; `1.0.0-beta` is older than `1.0.0`; what follows a `+` does not count.
package struct ModuleVersion: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package func isOlder(than other: ModuleVersion) -> Bool {
        let (mine, theirs) = (parts, other.parts)
        let count = max(mine.release.count, theirs.release.count)
        for index in 0..<count {
            let order = Self.order(
                index < mine.release.count ? mine.release[index] : "0",
                index < theirs.release.count ? theirs.release[index] : "0")
            if order != 0 { return order < 0 }
        }
        guard let preview = mine.preview else { return false }
        guard let others = theirs.preview else { return true }
        for (mine, other) in zip(preview, others) {
            let order = Self.order(mine, other)
            if order != 0 { return order < 0 }
        }
        return preview.count < others.count
    }

    /// The parts before the first dash and behind it, without what follows a plus.
    private var parts: (release: [Substring], preview: [Substring]?) {
        let counted = text.prefix { $0 != "+" }
        let release = counted.prefix { $0 != "-" }
        let preview = counted.dropFirst(release.count + 1)
        return (
            release.split(separator: ".", omittingEmptySubsequences: false),
            release.count == counted.count
                ? nil : preview.split(separator: ".", omittingEmptySubsequences: false)
        )
    }

    /// Negative if one part comes before another, 0 if they are equal. Numbers come before words.
    private static func order(_ left: Substring, _ right: Substring) -> Int {
        guard let left = number(left) else {
            return number(right) != nil ? 1 : left == right ? 0 : left < right ? -1 : 1
        }
        guard let right = number(right) else { return -1 }
        if left.count != right.count { return left.count - right.count }
        return left == right ? 0 : left < right ? -1 : 1
    }

    /// The digits without leading zeros, however many; `nil` for anything else.
    private static func number(_ part: Substring) -> Substring? {
        guard !part.isEmpty, part.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return part.drop { $0 == "0" }
    }
}

extension ModuleVersion: CustomStringConvertible {
    package var description: String { text }
}

/// The reason why a module's version is not accepted.
package enum VersionError: Error, Hashable, Sendable {
    case tooOld(found: ModuleVersion, least: ModuleVersion)
    /// The module has to be signed, and a newer version of it was loaded before.
    case replaced(module: String, found: ModuleVersion, newest: ModuleVersion)
    /// The bytes that were checked do not tell the version of this module.
    case unknown(module: String)
    /// The versions that were accepted before cannot be read.
    case accepted(AcceptedVersionsError)
}

extension VersionError: Diagnosable {
    package var diagnostic: Diagnostic {
        switch self {
        case .tooOld(let found, let least):
            Diagnostic(
                "expected version \(least) or newer, as the manifest asks, found \(found)",
                fix: "put the newer version back, or correct 'leastVersion' in the manifest if "
                    + "the older one is meant",
                code: .untrusted)
        case .replaced(let module, let found, let newest):
            Diagnostic(
                "expected version \(newest) or newer, which was loaded before, found \(found)",
                fix: "put the newer version back; to go back on purpose, pin the older one: "
                    + "'eaves pin \(module.shellWord)'",
                code: .untrusted)
        case .unknown(let module):
            Diagnostic(
                "expected the version of '\(module)' in its note, found none",
                fix: "put the module back that was there, or build it again", code: .untrusted)
        case .accepted(let error): error.diagnostic
        }
    }
}
