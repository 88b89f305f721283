// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

extension CatalogCache {
    /// The bytes of a cache of what was seen.
    ///
    /// - Parameters:
    ///   - start: When nobody had looked at a file yet, in nanoseconds since 1970.
    ///   - reader: The program that looked.
    static func image(_ survey: ModuleSurvey, since start: Int64, reader: FileIdentity) -> [UInt8] {
        let listed = (path: ModuleSurvey.listedPath, files: survey.listed)
        let groups = [listed] + survey.directories.map { (path: $0.path, files: $0.files) }
        let files = groups.flatMap(\.files)
        let names = files.map { survey.name($0) }
        // Of those that can be kept.
        let contents: [ModuleFile?] = groups.flatMap { group in
            group.files.map { file in
                let content = survey.content(file, at: Path.join(group.path, survey.name(file)))
                return content.canBeKept(since: start) ? content : nil
            }
        }
        let keys = Self.keys(names, contents)
        let plain = PlainRule(among: contents)
        var header = CacheHeader(
            reader: reader, keyCount: keys.count, fileCount: files.count, directoryStart: 0,
            directoryCount: groups.count)
        var (records, texts) = (CacheText(), CacheText())
        var builds: [CachedBuild: Int] = [:]
        for ((file, name), content) in zip(zip(files, names), contents) {
            var record = CachedFile(
                nameStart: header.textStart + texts.addName(name), nameLength: name.utf8.count,
                kind: survey.kind(file))
            if let content, let status = content.status, let build = content.build {
                if builds[build] == nil {
                    builds[build] = header.textStart + texts.bytes.count
                    build.write(to: &texts)
                }
                record.note(
                    status, contentStart: header.textStart + texts.bytes.count,
                    isPlain: plain.holds(for: content, name))
                content.write(to: &texts, build: builds[build] ?? 0)
            }
            record.write(to: &records)
        }
        header.directoryStart = header.textStart + texts.bytes.count
        Self.write(survey, contents, since: start, to: &texts)
        var content = CacheText()
        for key in keys {
            content.add(key.hash)
            content.add(UInt32(key.file))
        }
        content.add(records)
        content.add(texts)
        return header.image(content)
    }

    private static func keys(
        _ names: [String], _ contents: [ModuleFile?]
    ) -> [(hash: UInt32, file: Int)] {
        var keys: [(hash: UInt32, file: Int)] = []
        for (index, content) in contents.enumerated() {
            guard let note = content?.note else { continue }
            keys.append((CacheKey.file(names[index]).hash, index))
            for key in Set(CacheKey.all(of: note.declaration)) { keys.append((key.hash, index)) }
        }
        return keys.sorted { ($0.hash, $0.file) < ($1.hash, $1.file) }
    }

    private static func write(
        _ survey: ModuleSurvey, _ contents: [ModuleFile?], since start: Int64,
        to texts: inout CacheText
    ) {
        func isComplete(_ files: Range<Int>) -> Bool { contents[files].allSatisfy { $0 != nil } }

        let files = 0..<survey.listed.count
        let listed = CachedDirectory(
            path: ModuleSurvey.listedPath, files: files, isComplete: isComplete(files),
            subfolders: [])
        listed.write(to: &texts)
        var next = survey.listed.count
        for directory in survey.directories {
            let files = next..<next + directory.files.count
            next = files.upperBound
            let known = CachedDirectory(
                path: directory.path,
                identity: directory.identity.isSettled(at: start) ? directory.identity : nil,
                files: files, isComplete: isComplete(files), subfolders: directory.subfolders)
            known.write(to: &texts)
        }
    }
}
