// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesCompiler
import EavesDeclaration
import EavesSystem

/// Compares a module's file with the sources it is built from.
package enum Freshness: Hashable, Sendable {
    /// The builder wrote the file, and nothing has changed since.
    case fresh
    /// The builder wrote the file, and something may have changed since.
    case stale
    /// The file is not the builder's work from this folder, so only an explicit build may replace it.
    case foreign(Origin)
    case missing

    package enum Origin: Hashable, Sendable {
        /// No record says that the builder wrote the file.
        case unknown
        /// The builder wrote a file here, and this one has another content.
        case changed
        /// The builder wrote the file from another folder, which still holds the module. An absolute path.
        case folder(String)
    }
}

extension Builder {
    /// Tells whether a module has to be built. Starts no process.
    ///
    /// As a rule, it looks at the status of the files and reads nothing but a small record. Where a
    /// status differs, it compares the contents, and keeps what it found for the next look: a project
    /// that was copied is as fresh as the original.
    ///
    /// An existing file without a record is `foreign`. A missing SDK or compiler counts as unchanged.
    package func freshness(of request: BuildRequest) -> Freshness {
        guard BuildIdentity(path: request.output) != nil else { return .missing }
        let place = request.records
        switch place.entry {
        case .absent: return .foreign(.unknown)
        case .damaged: return .stale
        case .record(let record):
            if compare(record, of: place, with: request) == (.fresh, record) { return .fresh }
        }
        // Another process may be building the module, and be about to publish its file.
        return place.steady { write in
            guard let record = place.record else { return .stale }
            let (freshness, found) = compare(record, of: place, with: request)
            if let found, found != record { write(found) }
            return freshness
        }
    }

    /// Whether ``freshness(of:)`` is `fresh`, and the request does not demand a compilation anyway.
    package func isFresh(_ request: BuildRequest) -> Bool {
        !request.isForced && freshness(of: request) == .fresh
    }

    /// Compares the contents where the statuses differ.
    ///
    /// - Returns: Also the record with the statuses as they are now, if the module is fresh.
    private func compare(
        _ record: BuildRecord, of place: RecordPlace, with request: BuildRequest
    ) -> (Freshness, BuildRecord?) {
        var record = record
        guard let output = record.output.found(at: request.output) else {
            return (.foreign(.changed), nil)
        }
        record.output = output
        let folder = place.name(ofFolder: request.folder)
        if record.folder != folder {
            let recorded = place.path(ofFolder: record.folder)
            guard request.isFor(folder: recorded) else {
                return (Self.freshness(builtFrom: recorded, record.folder, for: request.id), nil)
            }
            record.folder = folder
        }
        guard (request.configuration ?? record.configuration) == record.configuration,
            hasCompiler(of: record), updateSDK(of: &record),
            updateSources(of: &record, in: request.folder), place.updateInterfaces(of: &record)
        else { return (.stale, nil) }
        return (.fresh, record)
    }

    /// Judges a file that was built from another folder than the one that is asked for.
    ///
    /// If the other folder stood next to the file and is not there any more, it was renamed.
    private static func freshness(
        builtFrom folder: String, _ name: String, for id: String
    ) -> Freshness {
        let isNextToFile = !name.split(separator: "/").contains("..")
        let file = Path.join(folder, ModuleDeclaration.fileName)
        do throws(DeclarationError) {
            let isHolder = try ModuleDeclaration.load(file, shownAs: file).id == id
            return isHolder ? .foreign(.folder(folder)) : .stale
        } catch {
            let isGone = (try? FileStatus(path: file)) == nil
            return isGone && isNextToFile ? .stale : .foreign(.folder(folder))
        }
    }

    private func hasCompiler(of record: BuildRecord) -> Bool {
        guard case .success(let toolchain) = toolchain else { return true }
        return toolchain.identity == record.compiler && toolchain.deciding == record.environment
    }

    private func updateSDK(of record: inout BuildRecord) -> Bool {
        guard case .success(let sdk) = sdk, sdk.identity != record.sdk else { return true }
        guard let content = try? SDKContent(sdk), content.digest == record.sdkContent else {
            return false
        }
        record.sdk = content.identity
        return true
    }

    private func updateSources(of record: inout BuildRecord, in folder: String) -> Bool {
        guard let sources = try? SourceFiles(folder, dependencies: record.dependencies) else {
            return false
        }
        if sources.files == record.files { return true }
        let now = WallClock.now
        guard let contents = try? sources.contents(),
            BuildRecipe.digest(of: contents) == record.sources
        else { return false }
        record.files = sources.settled(at: now)
        return true
    }
}

extension RecordPlace {
    /// Compares the interfaces whose files are others: most changes of an interface module change only what it does.
    fileprivate func updateInterfaces(of record: inout BuildRecord) -> Bool {
        for index in record.interfaces.indices {
            let path = path(ofFolder: record.interfaces[index].file)
            let now = WallClock.now
            guard let identity = BuildIdentity(path: path) else { return false }
            if identity == record.interfaces[index].identity { continue }
            guard InterfaceFile.digest(at: path) == record.interfaces[index].digest else {
                return false
            }
            record.interfaces[index].identity = identity.settled(at: now)
        }
        return true
    }
}

/// The places on the disk that decide whether modules have to be built again. All paths are absolute.
///
/// Two values are equal if a build that failed would fail in the same way, as far as sources and interfaces are
/// the reason.
package struct BuildInputs: Hashable, Sendable {
    /// The folders of the modules, of the interface modules that they name and whose sources are here, and of the
    /// packages elsewhere that they depend on. The sources may lie at any depth.
    package private(set) var folders: [String] = []
    /// Folders with sources that a symbolic link in one of ``folders`` leads to.
    package private(set) var linkedFolders: [String] = []
    /// The files of interfaces that modules were compiled against.
    package private(set) var files: [String] = []
    private var sources: [String: BuildIdentity] = [:]
    /// Those of ``files`` that are there.
    private var interfaces: [String: BuildIdentity] = [:]

    package func hasSource(_ path: String) -> Bool { sources[path] != nil }

    /// These inputs with the interfaces of a later look: they may have been built just before the module that
    /// needs them.
    package func withInterfaces(of later: BuildInputs) -> BuildInputs {
        var inputs = later
        inputs.sources = sources
        return inputs
    }

    fileprivate mutating func add(_ request: BuildRequest) {
        let record = request.records.record
        let dependencies = record?.dependencies ?? []
        folders.append(request.folder)
        folders += dependencies.map { Path.absolute($0, from: request.folder) }
        for interface in record?.interfaces ?? [] {
            let file = request.records.path(ofFolder: interface.file)
            files.append(file)
            interfaces[file] = BuildIdentity(path: file)
        }
        // A folder that is broken at the moment is watched all the same.
        guard let found = try? SourceFiles(request.folder, dependencies: dependencies) else {
            return
        }
        var parents: Set<String> = []
        for file in found.files {
            let path = found.path(of: file.name)
            sources[path] = file.identity
            parents.insert(Path.parent(of: path))
        }
        linkedFolders += parents.sorted().filter { parent in
            let folder = folders.last { "\(parent)/".utf8.starts(with: "\($0)/".utf8) }
            guard let folder else { return false }
            let resolved = Files.resolved(folder).map {
                Path.join($0, Path.relative(parent, to: folder))
            }
            return parent != folder && Files.resolved(parent) != resolved
        }
    }
}

extension Builder {
    /// The places to watch for changes after these modules were built.
    package func inputs(of requests: [BuildRequest]) -> BuildInputs {
        var inputs = BuildInputs()
        for request in BuildOrder(requests, self).requests { inputs.add(request) }
        return inputs
    }
}
