// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesJSON
import EavesSystem

/// The user's consent to use the modules of a folder that belongs to another user.
///
/// It covers the folder and everything in it, as long as the same user owns it. It never covers what third
/// users can change.
package struct Consent: Hashable, Sendable {
    /// The folder's path, without links.
    package let folder: String
    /// The number of the user who owned the folder when consent was given.
    package let owner: UInt32

    package init(folder: String, owner: UInt32) {
        self.folder = folder
        self.owner = owner
    }

    package var check: TrustCheck { TrustCheck(consented: owner) }

    /// Whether the consent is about a file of this owner at this path.
    package func covers(_ path: String, of user: UInt32) -> Bool {
        owner == user && Path.isInside(path, folder)
    }
}

/// A list of consents in a file: the user's own, `eaves/trusted.json` in the configuration folder, or that
/// of all users, `/etc/eaves/trusted.json`.
package struct ConsentList: Sendable {
    private static let name = "trusted.json"
    private static let version = 1

    package static let ofAllUsers = ConsentList(in: ConfigurationFolder.ofAllUsers)

    /// The current user's list; `nil` if the environment names no home folder.
    package static var ofUser: ConsentList? { ConfigurationFolder.ofUser.map(ConsentList.init) }

    private let folder: String
    /// The list's file, as an absolute path.
    package var path: String { Path.join(folder, Self.name) }

    package init(in folder: String) {
        self.folder = folder
    }

    /// Whether one of the lists has a consent to a folder.
    ///
    /// - Parameters:
    ///   - folder: A path without links.
    ///   - owner: The user whose files have been met.
    static func hasConsent(to folder: String, of owner: UInt32) throws(ConsentError) -> Bool {
        for case let list? in [ofUser, ofAllUsers] {
            if try list.consents().contains(where: { $0.covers(folder, of: owner) }) { return true }
        }
        return false
    }

    /// Reads the list. A missing file is an empty list.
    package func consents() throws(ConsentError) -> [Consent] {
        guard (try? FileStatus(path: path)) != nil else { return [] }
        let bytes: [UInt8]
        do {
            bytes = try TrustCheck.own.openFile(TrustPlace(path, .consents)).content()
        } catch let error as TrustError {
            throw .place(.untrusted(error))
        } catch {
            throw .place(.system(error as? SystemError ?? SystemError(.read, path)))
        }
        guard let root = try? JSONNode.parse(bytes), root["trusted"]?.integer == Self.version,
            let elements = root["folders"]?.elements
        else { throw .damaged(path) }
        var consents: [Consent] = []
        for element in elements {
            guard let folder = element["folder"]?.string, folder.utf8.first == UInt8(ascii: "/"),
                let owner = element["owner"]?.integer, let owner = UInt32(exactly: owner)
            else { throw .damaged(path) }
            consents.append(Consent(folder: folder, owner: owner))
        }
        return consents
    }

    /// Changes the list in one step, while no other process can. Creates the file if it is missing.
    package func update(_ change: (inout [Consent]) -> Void) throws(ConsentError) {
        let lock: FileLock
        do throws(PlaceError) {
            lock = try TrustCheck.own.makeFolder(folder, mode: 0o755).takeLock(checkedBy: .own)
        } catch {
            throw .place(error)
        }
        try lock.hold { () throws(ConsentError) in
            var consents = try consents()
            change(&consents)
            let list = consents.map { consent -> JSON in
                ["folder": .string(consent.folder), "owner": .integer(Int(consent.owner))]
            }
            let json: JSON = ["trusted": .integer(Self.version), "folders": .array(list)]
            do throws(PlaceError) {
                try Output(path).replace(with: Array((json.text(pretty: true) + "\n").utf8))
            } catch {
                throw .place(error)
            }
        }
    }
}

/// The reason why a project is not read, or why a list of trusted folders cannot be read or changed.
package enum ConsentError: Error, Hashable, Sendable, Diagnosable {
    /// Others can change the manifest or the list, so it does not count; or the system does not let it be used.
    case place(PlaceError)
    case damaged(String)

    package var diagnostic: Diagnostic {
        switch self {
        case .place(let error): error.diagnostic
        case .damaged(let path):
            Diagnostic(
                "\(path.quoted): expected a list of trusted folders, as 'eaves trust' writes it",
                fix: "correct the file, or remove it and run 'eaves trust FOLDER' again",
                code: .badData)
        }
    }
}

/// The folders that have what a user, or the machine's administrator, has decided for all projects.
enum ConfigurationFolder {
    static let ofAllUsers = "/etc/eaves"

    /// `nil` if the environment names no home folder.
    static var ofUser: String? {
        for (name, folder) in [("XDG_CONFIG_HOME", "eaves"), ("HOME", ".config/eaves")] {
            if let place = Environment.current[name], place.utf8.first == UInt8(ascii: "/") {
                return Path.join(place, folder)
            }
        }
        return nil
    }
}
