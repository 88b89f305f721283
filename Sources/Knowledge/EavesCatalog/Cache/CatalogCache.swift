// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesSystem

/// The catalog's cache: what the files of modules said when they were last read, and which of them
/// provides what.
///
/// Rows and texts are decoded when they are asked for. The checksum has shown that the bytes are as they
/// were written; every place in them is checked against the end all the same.
struct CatalogCache: Sendable {
    private let bytes: CacheBytes
    private let header: CacheHeader
    private(set) var directories: [CachedDirectory] = []

    /// - Parameters:
    ///   - bytes: The file, whose checksum was compared.
    ///   - program: The program that wants to read it.
    /// - Returns: `nil` if another program wrote it, or a table does not lie in the file.
    init?(_ bytes: CacheBytes, program: FileIdentity) {
        guard let header: CacheHeader = bytes.loaded(at: 0), header.magic == CacheHeader.magic,
            header.program == program
        else { return nil }
        let ends = [
            header.keys.end, header.files.end, header.modules.end, header.provisions.end,
            header.requirements.end, header.features.end, header.interfaces.end,
            header.protocols.end, header.digests.end, header.builds.end, header.directories.end,
            header.subfolders.end, header.texts.end,
        ]
        guard ends.allSatisfy({ $0 <= bytes.count }) else { return nil }
        self.bytes = bytes
        self.header = header
        for number in 0..<Int(header.directories.count) {
            guard let directory = directory(number) else { return nil }
            directories.append(directory)
        }
    }

    /// The directory of this path, as it was when the cache was written.
    func directory(_ path: String) -> CachedDirectory? { directories.first { $0.path == path } }

    func file(_ number: Int) -> CacheFileRow? { row(number, of: header.files) }

    func name(_ file: CacheFileRow) -> String? { string(file.name) }

    /// The module that a file holds; `nil` if the cache does not say.
    func module(_ file: CacheFileRow) -> CacheModuleRow? {
        file.module == CacheFileRow.noModule ? nil : row(Int(file.module), of: header.modules)
    }

    func build(_ number: UInt32) -> CacheBuildRow? { row(Int(number), of: header.builds) }

    func provisionRow(_ number: Int) -> CacheProvisionRow? { row(number, of: header.provisions) }

    func requirementRow(_ number: Int) -> CachedService? { row(number, of: header.requirements) }

    func featureRow(_ number: Int) -> CacheFeatureRow? { row(number, of: header.features) }

    /// The numbers of the files that a key leads to. Hash collisions may add files that it should not
    /// lead to.
    func files(_ key: CacheKey) -> [Int] {
        var (low, high) = (0, Int(header.keys.count))
        while low < high {
            let middle = (low + high) / 2
            guard let row = row(middle, of: header.keys) else { return [] }
            if row.hash < key.hash { low = middle + 1 } else { high = middle }
        }
        var files: [Int] = []
        while let row = row(low, of: header.keys), row.hash == key.hash,
            row.file < header.files.count
        {
            files.append(Int(row.file))
            low += 1
        }
        return files
    }

    /// Whether the cache knows what a file says and the file has not changed since: one look at its
    /// status.
    ///
    /// - Parameter folder: The open directory of the file.
    func isCurrent(_ number: Int, in folder: borrowing OpenFolder) -> Bool {
        guard let file = file(number), file.module != CacheFileRow.noModule,
            let place = place(of: file.name)
        else { return false }
        let status = bytes.withCString(at: place) { folder.status(of: $0) }
        guard let status, status.kind == .file else { return false }
        return FileIdentity(status) == file.identity
    }

    /// A text as a string; `nil` if it does not lie among the texts.
    func string(_ text: CachedText) -> String? {
        place(of: text).flatMap(bytes.string)
    }

    /// Calls `body` with the bytes of a text, or with none if it does not lie among the texts.
    func withBytes(of text: CachedText, _ body: (Span<UInt8>) -> Void) {
        bytes.withBytes(at: place(of: text) ?? 0..<0, body)
    }

    /// Whether the bytes of the left text go before those of the right one.
    func isBefore(_ left: CachedText, _ right: CachedText) -> Bool? {
        guard let left = place(of: left), let right = place(of: right) else { return nil }
        return bytes.isBefore(left, right)
    }

    private func place(of text: CachedText) -> Range<Int>? {
        let start = Int(header.texts.start) + Int(text.start)
        let end = start + Int(text.count)
        return end <= header.texts.end ? start..<end : nil
    }

    private func row<Row>(_ number: Int, of table: CacheTable<Row>) -> Row? {
        guard number >= 0, number < table.count else { return nil }
        return bytes.loaded(at: Int(table.start) + number * MemoryLayout<Row>.stride)
    }
}

extension CatalogCache {
    private func directory(_ number: Int) -> CachedDirectory? {
        guard let directory = row(number, of: header.directories),
            let path = string(directory.path),
            directory.files.range.upperBound <= header.files.count,
            directory.subfolders.range.upperBound <= header.subfolders.count
        else { return nil }
        return CachedDirectory(
            path: path, identity: directory.isSettled == 1 ? directory.identity : nil,
            files: directory.files.range, isComplete: directory.isComplete == 1,
            subfolders: directory.subfolders.range)
    }

    /// A folder that may hold a module's sources; `nil` if it cannot be decoded.
    func subfolder(_ number: Int) -> Folder.Entry? {
        guard let row = row(number, of: header.subfolders), let name = string(row.name),
            let kind = FileStatus.Kind(number: row.kind)
        else { return nil }
        return Folder.Entry(name: name, kind: kind)
    }

    /// The `module.json` in a folder, as it was when it was read.
    func declarationIdentity(inSubfolder number: Int) -> FileIdentity {
        row(number, of: header.subfolders)?.identity ?? .none
    }

    /// The number of the file that the sources in a folder are built to, if the cache knows all that a scan needs to
    /// know of them: one look at the status of their `module.json`.
    ///
    /// - Parameter folder: The open directory that the folder is in.
    func file(builtFromSubfolder number: Int, in folder: borrowing OpenFolder) -> Int? {
        guard let row = row(number, of: header.subfolders), row.file < header.files.count,
            let place = place(of: row.declaration)
        else { return nil }
        let status = bytes.withCString(at: place) { folder.status(of: $0) }
        return status.map(FileIdentity.init) == row.identity ? Int(row.file) : nil
    }

    /// The content of a file when it was read; `nil` if the cache does not hold it.
    func content(_ file: CacheFileRow) -> ModuleContent? {
        guard let module = module(file), let build = build(module.build),
            let id = string(module.id), let version = string(module.version),
            let summary = string(module.summary),
            let layer = string(module.layer).flatMap(Layer.init(rawValue:)),
            let provides = decoded(module.provides, provision),
            let requires = decoded(module.requires, { requirementRow($0).flatMap(service) }),
            let features = decoded(module.features, feature),
            let interfaces = interfaceNeeds(module.interfaces),
            let protocols = decoded(module.protocols, { protocolName($0).flatMap(string) }),
            let declared = digests(module.declared), let implemented = digests(module.implemented)
        else { return nil }
        let declaration = ModuleDeclaration(
            id: id, version: version, summary: summary, layer: layer, provides: provides,
            requires: requires, features: features, interfaces: interfaces,
            owner: optionalString(module.owner),
            interface: optionalString(module.swiftModule).map {
                let (own, others) = CachedModules.names($0)
                return InterfaceContent(module: own, protocols: protocols, otherModules: others)
            })
        let tag = tag(build, inputs: optionalString(module.inputs))
        return ModuleContent(
            status: file.status,
            machine: ELFMachine(rawValue: UInt16(truncatingIfNeeded: build.machine)),
            note: ModuleNote(declaration: declaration, tag: tag),
            protocols: ModuleProtocols(declared: declared, implemented: implemented),
            libraries: optionalString(module.libraries))
    }

    /// The module as the rule of direction sees it; `nil` if it cannot be decoded.
    func interfaceUser(_ module: CacheModuleRow) -> InterfaceUser? {
        guard let id = string(module.id),
            let layer = string(module.layer).flatMap(Layer.init(rawValue:))
        else { return nil }
        return InterfaceUser(id: id, layer: layer, owner: optionalString(module.owner))
    }

    /// How modules of a build were built.
    func tag(_ build: CacheBuildRow, inputs: String? = nil) -> BuildTag {
        BuildTag(
            abi: Int(build.abi),
            interface: build.interfaceMajor < 0
                ? nil
                : InterfaceVersion(
                    major: Int(build.interfaceMajor), minor: Int(build.interfaceMinor)),
            compiler: optionalString(build.compiler), target: optionalString(build.target),
            inputs: inputs)
    }

    private func provision(_ number: Int) -> Provision? {
        guard let row = provisionRow(number), let service = service(row.service) else { return nil }
        return Provision(service: service, name: optionalString(row.name))
    }

    /// The name as the note has it: qualified, if the protocol belongs to an interface module.
    private func service(_ text: CachedService) -> String? {
        guard !text.qualifier.isNone else { return string(text.word) }
        return string(CachedText(spanning: text.qualifier, text.word))
    }

    /// The interfaces that a module is compiled against; `nil` if they cannot be decoded.
    func interfaceNeeds(_ rows: CacheRows) -> [InterfaceNeed]? { decoded(rows, interfaceNeed) }

    private func interfaceNeed(_ number: Int) -> InterfaceNeed? {
        guard let row = row(number, of: header.interfaces) as CacheInterfaceRow?,
            let id = string(row.id)
        else { return nil }
        guard !row.module.isNone else { return InterfaceNeed(id) }
        guard let (module, others) = string(row.module).map(CachedModules.names) else { return nil }
        let version = InterfaceVersion(major: Int(row.major), minor: Int(row.minor))
        return InterfaceNeed(
            id, built: InterfaceStamp(module: module, version: version, otherModules: others))
    }

    /// The protocols that a module declares or implements; `nil` if they cannot be decoded.
    func digests(_ rows: CacheRows) -> [ProtocolDigest]? {
        decoded(rows) { row($0, of: header.digests) }
    }

    private func protocolName(_ number: Int) -> CachedText? { row(number, of: header.protocols) }

    private func feature(_ number: Int) -> FeatureDeclaration? {
        guard let row = featureRow(number), let name = string(row.name),
            let summary = string(row.summary)
        else { return nil }
        return FeatureDeclaration(name: name, summary: summary)
    }

    private func optionalString(_ text: CachedText) -> String? {
        text.isNone ? nil : string(text)
    }

    private func decoded<Element>(
        _ rows: CacheRows, _ element: (Int) -> Element?
    ) -> [Element]? {
        var elements: [Element] = []
        for number in rows.range {
            guard let next = element(number) else { return nil }
            elements.append(next)
        }
        return elements
    }
}

extension CacheFileRow {
    /// The status of the file when it was read.
    var status: FileStatus {
        FileStatus(
            kind: .file, device: identity.device, inode: identity.inode, size: Int(identity.size),
            modified: identity.modified, changed: identity.changed, owner: owner, group: group,
            mode: mode)
    }
}

/// One directory as the cache knows it.
struct CachedDirectory: Sendable {
    /// An absolute path; empty for the files that the manifest lists by their paths.
    let path: String
    /// `nil` if the directory has to be listed again.
    let identity: FileIdentity?
    /// The numbers of its `.so` files, which are sorted by the bytes of their names.
    let files: Range<Int>
    /// Whether the cache knows what every one of the files says.
    let isComplete: Bool
    /// The numbers of the folders that may hold a module's sources, sorted by the bytes of their names.
    let subfolders: Range<Int>
}
