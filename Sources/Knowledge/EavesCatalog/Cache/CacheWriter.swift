// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDeclaration
import EavesELF
import EavesSystem

/// Makes the bytes of a cache from what a survey saw.
struct CacheWriter {
    private var keys: [CacheKeyRow] = []
    private var files: [CacheFileRow] = []
    private var modules: [CacheModuleRow] = []
    private var provisions: [CacheProvisionRow] = []
    private var requirements: [CachedService] = []
    private var features: [CacheFeatureRow] = []
    private var interfaces: [CacheInterfaceRow] = []
    private var interfaceRows: [[InterfaceNeed]: CacheRows] = [:]
    private var protocols: [CachedText] = []
    private var digests: [ProtocolDigest] = []
    private var digestRows: [[ProtocolDigest]: CacheRows] = [:]
    private var builds: [CacheBuildRow] = []
    private var directories: [CacheDirectoryRow] = []
    private var subfolders: [CacheSubfolderRow] = []
    private var texts: [UInt8] = []
    private var buildNumbers: [Build: UInt32] = [:]
    private var libraryTexts: [String: CachedText] = [:]

    /// The properties that modules have in common if they are built alike.
    private struct Build: Hashable {
        let machine: ELFMachine
        let tag: BuildTag
    }

    /// - Parameters:
    ///   - start: A time before the survey looked at any file, in nanoseconds since 1970.
    ///   - program: The program that made the survey.
    static func bytes(_ survey: Survey, since start: Int64, program: FileIdentity) -> [UInt8] {
        let listed = (path: Survey.listedPath, files: survey.listed)
        let groups = [listed] + survey.directories.map { (path: $0.path, files: $0.files) }
        // `nil` for a file whose content cannot be kept.
        let contents: [[ModuleContent?]] = groups.map { group in
            group.files.map { file in
                let content = survey.content(file, at: Path.join(group.path, survey.name(file)))
                return content.canBeKept(since: start) ? content : nil
            }
        }
        let rule = SelfContainedRule(among: contents.joined().compactMap(\.?.note?.declaration))
        var writer = CacheWriter()
        for (number, group) in groups.enumerated() {
            let first = writer.files.count
            for (file, content) in zip(group.files, contents[number]) {
                writer.add(survey.name(file), survey.kind(file), content, rule)
            }
            let directory = number == 0 ? nil : survey.directories[number - 1]
            let identity = directory?.identity ?? .none
            writer.directories.append(
                CacheDirectoryRow(
                    identity: identity, path: writer.add(group.path),
                    files: CacheRows(first..<writer.files.count),
                    subfolders: directory.map { writer.add($0, files: first, since: start) }
                        ?? CacheRows(),
                    isSettled: number > 0 && identity.isSettled(at: start) ? 1 : 0,
                    isComplete: contents[number].allSatisfy { $0 != nil } ? 1 : 0))
        }
        writer.keys.sort { ($0.hash, $0.file) < ($1.hash, $1.file) }
        return writer.bytes(program)
    }

    private mutating func add(
        _ name: String, _ kind: FileStatus.Kind, _ content: ModuleContent?,
        _ rule: SelfContainedRule
    ) {
        var row = CacheFileRow(name: add(name), kind: kind.number)
        texts.append(0)
        let number = UInt32(files.count)
        if let content, let status = content.status, let machine = content.machine,
            let note = content.note
        {
            row.identity = FileIdentity(status)
            (row.mode, row.owner, row.group) = (status.mode, status.owner, status.group)
            row.module = UInt32(modules.count)
            row.isSelfContained = rule.holds(for: note.declaration, fileName: name) ? 1 : 0
            add(note, content, machine)
            let keys = Set(CacheKey.all(of: note.declaration) + [.file(name)])
            self.keys += keys.map { CacheKeyRow(hash: $0.hash, file: number) }
        }
        files.append(row)
    }

    private mutating func add(
        _ note: ModuleNote, _ content: ModuleContent, _ machine: ELFMachine
    ) {
        let declaration = note.declaration
        let (firstProvision, firstRequirement, firstFeature) =
            (provisions.count, requirements.count, features.count)
        let firstProtocol = protocols.count
        for provision in declaration.provides {
            let service = add(service: provision.service)
            provisions.append(CacheProvisionRow(service: service, name: add(provision.name)))
        }
        for service in declaration.requires { requirements.append(add(service: service)) }
        for feature in declaration.features {
            let name = add(feature.name)
            features.append(CacheFeatureRow(name: name, summary: add(feature.summary)))
        }
        for name in declaration.interface?.protocols ?? [] { protocols.append(add(name)) }
        modules.append(
            CacheModuleRow(
                id: add(declaration.id), version: add(declaration.version),
                summary: add(declaration.summary), layer: add(declaration.layer.rawValue),
                provides: CacheRows(firstProvision..<provisions.count),
                requires: CacheRows(firstRequirement..<requirements.count),
                features: CacheRows(firstFeature..<features.count),
                interfaces: add(declaration.interfaces),
                protocols: CacheRows(firstProtocol..<protocols.count),
                declared: add(content.protocols.declared),
                implemented: add(content.protocols.implemented),
                swiftModule: add(CachedModules.text(declaration.interface?.modules)),
                owner: add(declaration.owner),
                inputs: add(note.tag.inputs), libraries: add(libraries: content.libraries),
                build: add(note.tag, machine)))
    }

    /// The place of the text, which a module shares with those that are linked alike.
    private mutating func add(libraries: String?) -> CachedText {
        guard let libraries else { return .none }
        if let known = libraryTexts[libraries] { return known }
        let text = add(libraries)
        libraryTexts[libraries] = text
        return text
    }

    /// The rows of the interfaces, which a module shares with those that name the same ones.
    private mutating func add(_ needs: [InterfaceNeed]) -> CacheRows {
        if needs.isEmpty { return CacheRows() }
        if let known = interfaceRows[needs] { return known }
        let first = interfaces.count
        for need in needs {
            let id = add(need.id)
            interfaces.append(
                CacheInterfaceRow(
                    id: id, module: add(CachedModules.text(need.built?.modules)),
                    major: Int64(need.built?.version.major ?? 0),
                    minor: Int64(need.built?.version.minor ?? 0)))
        }
        let rows = CacheRows(first..<interfaces.count)
        interfaceRows[needs] = rows
        return rows
    }

    /// The rows of the protocols, which a module shares with those that implement the same ones.
    private mutating func add(_ added: [ProtocolDigest]) -> CacheRows {
        if added.isEmpty { return CacheRows() }
        if let known = digestRows[added] { return known }
        let rows = CacheRows(digests.count..<digests.count + added.count)
        digests += added
        digestRows[added] = rows
        return rows
    }

    /// The number of the build, which a module shares with those that are built alike.
    private mutating func add(_ tag: BuildTag, _ machine: ELFMachine) -> UInt32 {
        var common = tag
        common.inputs = nil
        let build = Build(machine: machine, tag: common)
        if let known = buildNumbers[build] { return known }
        let number = UInt32(builds.count)
        buildNumbers[build] = number
        builds.append(
            CacheBuildRow(
                abi: Int64(tag.abi), interfaceMajor: Int64(tag.interface?.major ?? -1),
                interfaceMinor: Int64(tag.interface?.minor ?? -1), compiler: add(tag.compiler),
                target: add(tag.target), machine: UInt64(machine.rawValue)))
        return number
    }

    /// Adds the folders of a directory that may hold sources.
    ///
    /// - Parameters:
    ///   - firstFile: The number of the directory's first file, which was added before.
    ///   - start: A time before the survey looked at any file, in nanoseconds since 1970.
    private mutating func add(
        _ directory: DirectorySurvey, files firstFile: Int, since start: Int64
    ) -> CacheRows {
        let first = subfolders.count
        let built = builtFiles(of: directory, first: firstFile)
        let sources = directory.sourcesByPath
        for entry in directory.subfolders {
            let path = Path.join(directory.path, entry.name)
            subfolders.append(
                CacheSubfolderRow(
                    identity: sources[path]?.settledIdentity(since: start) ?? .none,
                    declaration: add(entry.name + CacheSubfolderRow.rest),
                    kind: entry.kind.number, file: built[path]))
            texts.append(0)
        }
        return CacheRows(first..<subfolders.count)
    }

    /// The files that sources are built to, by the folders of the sources. It lacks those of which a scan has to know
    /// what the sources declare: that of two folders for one module, and of a file that the manifest lists as well.
    private func builtFiles(of directory: DirectorySurvey, first: Int) -> [String: UInt32] {
        let listed = Set(files[directories[0].files.range].map(\.identity))
        var numbers: [String: UInt32] = [:]
        for number in files.indices[first...] where files[number].module != CacheFileRow.noModule {
            let row = files[number]
            if listed.contains(row.identity) { continue }
            let name = texts[Int(row.name.start)..<Int(row.name.start + row.name.count)]
            numbers[String(decoding: name, as: UTF8.self)] = UInt32(number)
        }
        var folders: [String: [String]] = [:]
        for source in directory.sources {
            guard let id = try? source.declaration.get().id else { continue }
            folders[id + DirectorySurvey.suffix, default: []].append(source.path)
        }
        var built: [String: UInt32] = [:]
        for (file, paths) in folders where paths.count == 1 { built[paths[0]] = numbers[file] }
        return built
    }

    private mutating func add(service: String) -> CachedService {
        let whole = add(service)
        let count = UInt32(ServiceName.word(service).utf8.count)
        guard count < whole.count else { return CachedService(qualifier: .none, word: whole) }
        let start = whole.start + whole.count - count
        return CachedService(
            qualifier: CachedText(start: whole.start, count: whole.count - count),
            word: CachedText(start: start, count: count))
    }

    private mutating func add(_ text: String?) -> CachedText {
        guard let text else { return .none }
        defer { texts += text.utf8 }
        return CachedText(start: UInt32(texts.count), count: UInt32(text.utf8.count))
    }

    /// The whole file: header, tables, texts.
    private func bytes(_ program: FileIdentity) -> [UInt8] {
        var header = CacheHeader(program: program)
        var content: [UInt8] = []
        let start = MemoryLayout<CacheHeader>.size
        func append<Row>(_ rows: [Row]) -> CacheTable<Row> {
            let table = CacheTable<Row>(
                start: UInt32(start + content.count), count: UInt32(rows.count))
            rows.withUnsafeBytes { content += $0 }
            return table
        }
        header.keys = append(keys)
        header.files = append(files)
        header.modules = append(modules)
        header.provisions = append(provisions)
        header.requirements = append(requirements)
        header.features = append(features)
        header.interfaces = append(interfaces)
        header.protocols = append(protocols)
        header.digests = append(digests)
        header.builds = append(builds)
        header.directories = append(directories)
        header.subfolders = append(subfolders)
        header.texts = append(texts)
        header.size = UInt64(start + content.count)
        return Self.sealed(header, content)
    }

    /// Header and content with the checksum of both.
    static func sealed(_ header: CacheHeader, _ content: [UInt8]) -> [UInt8] {
        var header = header
        header.checksum = 0
        var bytes = withUnsafeBytes(of: header) { Array($0) } + content
        guard let checksum = CacheBytes.memory(bytes).checksum else {
            preconditionFailure("bytes in memory can be read")
        }
        withUnsafeBytes(of: checksum) { sum in
            bytes.replaceSubrange(
                CacheHeader.checksumEnd - sum.count..<CacheHeader.checksumEnd, with: sum)
        }
        return bytes
    }
}
