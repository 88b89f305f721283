// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc

/// The lists that say whose signatures count, and which keys are revoked.
///
/// The project has a list next to its manifest, or where the manifest says. The user and the machine's
/// administrator may have lists as well, outside of what they protect. Every list that exists has to allow
/// a key, so a project can only narrow what the others allow, and no list may revoke it.
package struct SignerLists: Hashable, Sendable {
    private static let signers = "allowed_signers"
    private static let revoked = "revoked_keys"

    /// The folders of the user and of the machine's administrator.
    package static var outside: [String] {
        [ConfigurationFolder.ofUser, ConfigurationFolder.ofAllUsers].compactMap { $0 }
    }

    private let project: String
    private let isNamed: Bool
    private let revokedKeys: String?
    private let ids: [String: [String]]?
    private let trust: TrustCheck
    private let outside: [String]

    /// - Parameters:
    ///   - project: The project's list of signers, as an absolute path.
    ///   - isNamed: Whether the manifest names that list: then it has to exist.
    ///   - revokedKeys: The revocation list that the manifest names, as an absolute path; then it has to
    ///     exist. Else the one next to the project's list is used if there is one.
    ///   - ids: The patterns of the ids that each signer may sign; `nil` for all ids.
    ///   - trust: The check for the project's lists.
    ///   - outside: The folders of the other lists.
    package init(
        project: String, isNamed: Bool = false, revokedKeys: String? = nil,
        ids: [String: [String]]? = nil, _ trust: TrustCheck, outside: [String] = Self.outside
    ) {
        self.project = project
        self.isNamed = isNamed
        self.revokedKeys = revokedKeys
        self.ids = ids
        self.trust = trust
        self.outside = outside
    }

    /// Checks that a signer may sign a module of this id.
    func check(_ signer: Signer, for id: String) throws(SignatureError) {
        guard let ids else { return }
        let allowed = ids.filter { $0.value.contains { fnmatch($0, id, 0) == 0 } }.keys
        if allowed.contains(signer.name) { return }
        throw .otherIDs(signer, id, may: ids[signer.name] ?? [], others: allowed.sorted())
    }

    /// The lists of signers, each of which has to allow a key. Never empty.
    func allowing() throws(SignatureError) -> [String] {
        let found = try lists(project, isNamed: isNamed, Self.signers, .allowedSigners)
        if found.isEmpty { try Self.check(project, .allowedSigners, trust) }
        return found
    }

    /// The revocation lists, none of which may have a key.
    func revoking() throws(SignatureError) -> [String] {
        try lists(revocations, isNamed: revokedKeys != nil, Self.revoked, .revokedKeys)
    }

    private var revocations: String {
        revokedKeys ?? Path.join(Path.parent(of: project), Self.revoked)
    }

    /// The paths of all lists, whether or not they exist.
    package var places: [String] {
        [project, revocations]
            + outside.flatMap { [Path.join($0, Self.signers), Path.join($0, Self.revoked)] }
    }

    /// A number for what the lists say now, and who can change them: as long as it is the same, so is what they allow.
    package var state: Int {
        let found = [Result(catching: allowing), Result(catching: revoking)]
        let texts = found.flatMap { (try? $0.get()) ?? [] }.map { try? Files.read($0) }
        var hasher = Hasher()
        hasher.combine(self)
        hasher.combine(found)
        hasher.combine(texts)
        return hasher.finalize()
    }

    /// The project's list, if it is named or exists, and those of a name outside of the project. All of them are checked.
    private func lists(
        _ own: String, isNamed: Bool, _ name: String, _ role: TrustPlace.Role
    ) throws(SignatureError) -> [String] {
        var lists: [String] = []
        let isThere = if isNamed { true } else { try Self.exists(own) }
        if isThere {
            try Self.check(own, role, trust)
            lists.append(own)
        }
        for list in outside.map({ Path.join($0, name) }) where try Self.exists(list) {
            try Self.check(list, role, .own)
            lists.append(list)
        }
        return lists
    }

    /// Whether there is something of that name, even a link to nothing.
    private static func exists(_ path: String) throws(SignatureError) -> Bool {
        do throws(SystemError) {
            _ = try FileStatus(link: path)
            return true
        } catch {
            if error.errno == .noSuchFile || error.errno == .notDirectory { return false }
            throw .noSigners(error)
        }
    }

    /// Checks that a list can be read, and that only trusted users can change it.
    private static func check(
        _ path: String, _ role: TrustPlace.Role, _ trust: TrustCheck
    ) throws(SignatureError) {
        do throws(TrustError) {
            _ = try trust.openFile(TrustPlace(path, role))
        } catch {
            guard case .unresolved(_, let cause) = error else { throw .place(.untrusted(error)) }
            let reason = SystemError(.open, path, cause.errno)
            throw role == .revokedKeys ? .noRevokedKeys(reason) : .noSigners(reason)
        }
    }
}
