// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesELF
import EavesJSON
import EavesSystem

/// The files that a module which is a package finds by `Bundle.module`.
///
/// `eaves build` keeps them in a section of the module's file: they go wherever that goes, and its digest and its signature
/// are theirs, too. A host writes them into a folder before it loads the module.
package struct ModuleResources: Hashable, Sendable {
    package static let section = ".eaves_resources"
    /// No module brings more. In bytes.
    package static let sizeLimit = 256 << 20

    package struct File: Hashable, Sendable {
        /// Such as `Page_Page.resources/index.html`.
        package let name: String
        package let bytes: [UInt8]

        package init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// Sorted by name.
    package let files: [File]
    /// The content of the section: a line with the names and the sizes, and then the files.
    package let content: [UInt8]

    package init(_ files: [File]) {
        self.files = files.sorted { $0.name < $1.name }
        let list = self.files.map { file -> JSON in
            ["name": .string(file.name), "size": .integer(file.bytes.count)]
        }
        content =
            Array((JSON.array(list).text(pretty: false) + "\n").utf8)
            + self.files.flatMap(\.bytes)
    }

    /// Reads a section.
    ///
    /// - Returns: `nil` if it is none that ``content`` makes, or a name leads out of the folder of the resources.
    package init?(_ content: [UInt8]) {
        guard let end = content.firstIndex(of: UInt8(ascii: "\n")),
            let list = (try? JSONNode.parse(Array(content[..<end])))?.elements
        else { return nil }
        var files: [File] = []
        var place = end + 1
        for node in list {
            guard let name = node["name"]?.string, let size = node["size"]?.integer,
                Self.isInside(name), size >= 0, size <= content.count - place
            else { return nil }
            files.append(File(name: name, bytes: Array(content[place..<place + size])))
            place += size
        }
        guard place == content.count, Set(files.map(\.name)).count == files.count else {
            return nil
        }
        self.files = files
        self.content = content
    }

    /// The resources in a module's file; `nil` if it has none.
    package init?(in file: borrowing ELFFile) throws(ELFError) {
        guard let content = try file.section(named: Self.section, limit: Self.sizeLimit) else {
            return nil
        }
        guard let resources = ModuleResources(content) else { throw .malformed(.header) }
        self = resources
    }

    /// The digest of the section, by which the code of the module asks for the folder.
    package var digest: String { SHA256.digest(of: content).hex }

    private static func isInside(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count >= 2
            && parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
            && !name.utf8.contains(0)
    }
}
