// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import Glibc

/// A place for a store: a name in a folder, which is an absolute path.
package struct StorePlace: Hashable, Sendable {
    let folder: String
    let name: String
    /// The users whose stores count there.
    let trust: TrustCheck
    /// The reason why the store is in memory; `nil` for a store on the disk.
    var reason: SystemError?

    var path: String { Path.join(folder, name) }

    /// The place that a project's store has for this process, and then those with the state that it begins with.
    ///
    /// It is the folder that the operator names, else next to a link that is switched from one release of the project to the
    /// next, else next to the manifest. If this process cannot write there, it is in memory until the machine ends.
    static func all(
        of project: String, _ trust: TrustCheck, named: StorePlace? = named
    ) -> [StorePlace] {
        let beside = StorePlace(folder: project, name: Store.name, trust: trust)
        let places = named.map { [$0] } ?? (linked(project, trust).map { [$0] } ?? []) + [beside]
        guard let memory, let reason = places[0].obstacle, reason.errno != .notDirectory,
            // Root makes no store in another user's folder.
            Accounts.current != 0 || reason.errno != .permissionDenied
        else { return places }
        let name = "eaves-\(Accounts.current)-\(places[0].mark)"
        return [StorePlace(folder: memory, name: name, trust: .own, reason: reason)] + places
    }

    /// The places of the stores that other users have in memory for this one.
    var ofOthers: [StorePlace] {
        Folder.names(in: Self.memory ?? "/").compactMap { name in
            let parts = name.split(separator: "-")
            guard parts.count == 3, parts[0] == "eaves", parts[2] == mark,
                let owner = UInt32(parts[1]), owner != Accounts.current
            else { return nil }
            let trust = TrustCheck(consented: owner)
            return StorePlace(folder: Self.memory ?? "/", name: name, trust: trust)
        }
    }

    private var mark: String {
        let path = Path.join(Files.resolved(folder) ?? folder, name)
        return String(SHA256.digest(of: Array(path.utf8)).hex.prefix(32))
    }

    /// A folder that all users can write, and that goes with the machine or the container.
    private static let memory = ["/dev/shm", "/tmp"].first { (folder: String) in
        access(folder, W_OK) == 0
    }

    /// The environment variable with the folder that the operator names.
    package static let variable = "EAVES_STORE"
    private static let named = place(
        Environment.value(of: variable),
        else: Path.absolute(inList: Environment.value(of: "STATE_DIRECTORY") ?? "").first)

    /// The place that the operator, or else systemd, names. What root looks at there is its owner's.
    static func place(_ named: String?, else state: String?) -> StorePlace? {
        guard let path = named.flatMap({ $0.isEmpty ? nil : $0 }) ?? state else { return nil }
        let real = Files.resolved(path) ?? Path.absolute(path)
        let owner = Accounts.current == 0 ? try? FileStatus(path: real).owner : nil
        return StorePlace(
            folder: Path.parent(of: real), name: Path.name(of: real),
            trust: TrustCheck(consented: owner))
    }

    /// The place next to a link that leads further inside, as `current` to `releases/2`, also for a project that is named
    /// without the link. One user has both folders, and it does not matter who asks.
    private static func linked(_ project: String, _ trust: TrustCheck) -> StorePlace? {
        guard let real = Files.resolved(project), let owner = try? FileStatus(path: real).owner
        else { return nil }
        func place(_ folder: String, _ way: String) -> StorePlace? {
            guard Files.resolved(Path.join(folder, way)) == real else { return nil }
            // A name has no slash.
            let name = way.split(separator: "/").map(String.init).chained(by: ":")
            return StorePlace(folder: folder, name: "\(Store.name)-\(name)", trust: trust)
        }
        func isOwners(_ path: String) -> Bool { (try? FileStatus(link: path))?.owner == owner }
        var folder = project
        while folder != "/" {
            let link = folder
            folder = Path.parent(of: link)
            if (try? FileStatus(link: link))?.kind == .link, folder != "/" || link == project,
                let inside = Files.resolved(folder), isOwners(inside), Path.isInside(real, inside)
            {
                return place(folder, Path.relative(project, to: folder))
            }
        }
        folder = real
        while folder != "/" {
            folder = Path.parent(of: folder)
            let isSigned = isOwners(folder) && isOwners(Path.join(folder, Self.sign))
            let stores = isSigned ? Folder.names(in: folder) : []
            for name in stores where name.hasPrefix(Store.name + "-") {
                let way = name.dropFirst(Store.name.count + 1).split(separator: ":").map(
                    String.init)
                // In a folder such as `/tmp`, another user can make one.
                if let place = place(folder, way.chained(by: "/")), isOwners(place.path) {
                    return place
                }
            }
        }
        return nil
    }

    /// The folder that stands where stores are next to links. A launch lists no other folder above a project.
    static let sign = ".eaves.links"

    var isNextToLink: Bool { name.hasPrefix(Store.name + "-") }

    /// The reason why this process can keep nothing there; `nil` if it can.
    var obstacle: SystemError? {
        let isThere = (try? FileStatus(link: path)) != nil
        let place = isThere ? path : folder
        guard let status = isThere ? try? FileStatus(link: path) : try? FileStatus(path: folder),
            status.kind == .directory
        else { return SystemError(.write, place, .notDirectory) }
        guard status.isOwnedByUser || Accounts.current == 0 && isThere else {
            return SystemError(.write, place, .permissionDenied)
        }
        guard access(place, W_OK) == 0 else { return SystemError(.write, place) }
        var system = statvfs()
        guard statvfs(place, &system) == 0, system.f_blocks > 0 else { return nil }
        let free = Accounts.current == 0 ? system.f_bfree : system.f_bavail
        let isFull = free == 0 || system.f_files > 0 && system.f_favail == 0
        return isFull ? SystemError(.write, place, .noSpace) : nil
    }
}
