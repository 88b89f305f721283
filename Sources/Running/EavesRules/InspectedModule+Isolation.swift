// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCatalog
package import EavesDeclaration
import EavesDiagnostics
import EavesManifest
import EavesSystem
import EavesTrust

/// A reason why a module cannot run in a process of its own.
package enum IsolationObstacle: Hashable, Sendable {
    /// The host's own service is not there in another process.
    case hostService(String)
    /// The interface with the service is linked into the program, so that no other process can load it.
    case linked(service: String, interface: String)
    /// The interface module with the service was built before calls could go to another process.
    case noReport(service: String, interface: String)
    /// It has a permission for a file that is not there.
    case noFile(String)
    /// It has a permission for a file behind a link that a module, or another user, can have put there.
    case link(String)
    /// It has a permission to change a file that decides about its rights, or a folder around it.
    case cage(String, of: String)
    /// Calls of the protocol cannot go to another process. Never empty.
    case calls(service: String, [WallReport.Obstacle])

    package var words: String {
        switch self {
        case .hostService(let service):
            "it requires \(ServiceName.word(service)), which only the host's process has"
        case .linked(let service, let interface):
            "\(ServiceName.word(service)) is of the interface '\(interface)', which is linked into the "
                + "program"
        case .noReport(let service, let interface):
            "\(ServiceName.word(service)) is of the interface '\(interface)', which does not say whether "
                + "its calls can go to another process"
        case .noFile(let path):
            "its permissions name \(Self.shown(path)), which is not there"
        case .link(let path):
            "its permissions name \(Self.shown(path)), and a link on the way can have been put there by a "
                + "module or by another user"
        case .cage(let path, let file):
            "its permissions let it write \(Self.shown(path)), and so change \(Self.shown(file)), which "
                + "decides about the rights of modules"
        case .calls(let service, let obstacles):
            "\(obstacles[0].place): '\(ServiceName.word(service))' cannot be isolated: "
                + obstacles[0].words
                + (obstacles.count == 1
                    ? ""
                    : " (and \(obstacles.count - 1) more requirement\(obstacles.count == 2 ? "" : "s"))")
        }
    }

    private static func shown(_ path: String) -> String {
        Path.relative(path, to: Path.current).quoted
    }

    var fix: String {
        switch self {
        case .noFile: "create it, or remove it from the module's 'permissions' in the manifest"
        case .link: "remove the link, or name the file itself in the module's 'permissions'"
        case .cage:
            "give the module a folder of its own, such as 'data', in its 'permissions' in the manifest"
        case .noReport(_, let interface): "build it again: 'eaves build \(interface)'"
        case .calls: "change the protocols, or remove the module's 'isolation' from the manifest"
        case .linked:
            "make the interface a module with a file of its own, or remove the module's 'isolation' from "
                + "the manifest"
        case .hostService: "remove the module's 'isolation' from the manifest"
        }
    }
}

extension InspectedModule {
    func checkIsolation() -> RuleOutcome {
        guard entry.isIsolated else { return .kept }
        let obstacles = isolationObstacles
        return obstacles.isEmpty ? .kept : .broken(.cannotIsolate(obstacles))
    }

    /// The reasons why the module cannot run in a process of its own; none if it can.
    package var isolationObstacles: [IsolationObstacle] {
        guard let catalog, let declaration = entry.declaration else { return [] }
        var obstacles: [IsolationObstacle] = []
        let permissions = entry.permissions
        let files = PermittedFiles(besides: permissions.changeable)
        for path in permissions.paths {
            do throws(SystemError) {
                _ = try files.open(path)
            } catch {
                obstacles.append(error.errno == .tooManyLinks ? .link(path) : .noFile(path))
            }
        }
        for path in permissions.write {
            if let file = cage(in: path) { obstacles.append(.cage(path, of: file)) }
        }
        let services = Set(declaration.provides.map(\.service) + declaration.requires)
        let interfaces = catalog.interfaces(of: [entry])
        var reports: [String: WallReport?] = [:]
        for service in services.sorted() {
            guard let module = ServiceName.module(service) else { continue }
            if module == InterfaceStamp.hostModule {
                obstacles.append(.hostService(service))
                continue
            }
            let interface = interfaces.first { $0.declaration?.interface?.module == module }
            guard let interface else {
                let linked = host.interfaces.first { $0.stamp.module == module }
                obstacles.append(.linked(service: service, interface: linked?.id ?? module))
                continue
            }
            if reports[module] == nil { reports[module] = WallReport(ofFile: interface.loadedFile) }
            guard let report = reports[module] ?? nil else {
                obstacles.append(.noReport(service: service, interface: interface.id))
                continue
            }
            let found = report.protocols[String(service.dropFirst(module.utf8.count + 1))]
            if let found, !found.isEmpty { obstacles.append(.calls(service: service, found)) }
        }
        return obstacles
    }

    /// The first of our own files that could be changed with a right to write: the manifest, what it leads to, a folder of
    /// modules, the store.
    private func cage(in path: String) -> String? {
        guard let manifest, let written = Files.resolved(path) else { return nil }
        let named = manifest.modules.compactMap(\.library) + [manifest.allowedSigners]
        let folders =
            [manifest.store.path]
            + manifest.directories.map { Path.absolute($0, from: manifest.directory) }
        let files = [manifest.path] + named.map { Path.absolute($0, from: manifest.directory) }
        return (files + folders + [manifest.revokedKeys].compactMap(\.self)).first { file in
            // Also where it is a link itself, or is not there yet.
            let place = Files.resolved(Path.parent(of: file)).map {
                Path.join($0, Path.name(of: file))
            }
            return [place, Files.resolved(file)].compactMap(\.self).contains { own in
                Self.covers(written, own) || folders.contains(file) && Self.covers(own, written)
            }
        }
    }

    private static func covers(_ folder: String, _ path: String) -> Bool {
        path == folder || Path.relative(path, to: folder) != path
    }
}
