// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem

/// Tells a file that is still being written from one that is broken. A host that sees a file come waits for the
/// rest of the one, and refuses the other.
///
/// Linkers write the table of sections last, and all else lies before it. So a file that was cut short anywhere is
/// noticed, and so is one that got its size first and whose end is not written yet: its last section has no entry.
///
/// Three things do not show: zeros in the middle, by a program that does not write from the beginning to the
/// end; zeros at the end of a file whose table of sections was removed (`sstrip`); other bytes than those
/// that are meant, such as the end of a longer file that is being overwritten. Digests show them.
package enum ELFWholeness: Hashable, Sendable {
    /// All that the headers promise is there.
    case whole
    /// Bytes are lacking. A program may still be writing the file.
    case unfinished(ELFError)
    /// The file is not a shared object, and further bytes would not make it one.
    case broken(ELFError)

    /// Looks at the headers, the tables of segments and sections, and the end of a file.
    package init(of path: String) {
        do throws(ELFError) {
            self.init(try ELFSource(path))
        } catch {
            self = error == .empty ? .unfinished(error) : .broken(error)
        }
    }

    /// Looks at an open file.
    package init(_ source: consuming ELFSource) {
        let endsInZeros = source.endsInZeros
        do throws(ELFError) {
            try ELFFile(source).checkEnd()
            self = .whole
        } catch {
            self =
                switch error {
                // Written from the beginning on, the file would become larger than any module.
                case .truncated(let needs, _) where needs > UInt64(FileStatus.moduleSizeLimit):
                    .broken(error)
                case .truncated, .empty, .unwritten: .unfinished(error)
                case .unreadable, .notAFile, .tooLarge: .broken(error)
                // A header, or what it leads to, may be nonsense as long as it is zeros.
                default: endsInZeros ? .unfinished(error) : .broken(error)
                }
        }
    }
}

extension ELFSource {
    /// Whether the last bytes are zeros, as many as the entry of a section has. No linker's file ends like that.
    fileprivate var endsInZeros: Bool {
        let count = min(status.size, ELFSection.size)
        let start = UInt64(status.size - count)
        let end = try? bytes(at: start, count: UInt64(count), of: .header)
        return end?.allSatisfy { $0 == 0 } ?? false
    }
}

extension ELFFile {
    /// Checks that all sections lie in the file, and that the last of them was written.
    fileprivate func checkEnd() throws(ELFError) {
        let sections = try source.sections(header)
        for section in sections where section.isInFile {
            try source.checkExtent(offset: section.offset, count: section.fileSize)
        }
        // The first entry is always empty.
        guard sections.count > 1, let last = sections.last else { return }
        // The alignment is the last number of an entry that linkers never leave at zero.
        guard last.isInFile, last.alignment > 0, try hasName(last, of: sections) else {
            throw .unwritten(from: header.sections.offset)
        }
    }

    /// Whether a section's name is there: some linkers write the names last.
    private func hasName(
        _ section: ELFSection, of sections: [ELFSection]
    ) throws(ELFError) -> Bool {
        // Without an index of their section, or with one that is too large for the header.
        guard header.sectionNames > 0, sections.indices.contains(header.sectionNames) else {
            return true
        }
        let names = sections[header.sectionNames]
        guard UInt64(section.name) < names.fileSize else { return false }
        let (place, overflows) = names.offset.addingReportingOverflow(UInt64(section.name))
        guard !overflows else { return false }
        return try source.bytes(at: place, count: 1, of: .header).first != 0
    }
}
