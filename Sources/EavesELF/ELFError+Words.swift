// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON
import EavesSystem

extension ELFError {
    /// What is wrong, expected against found, without the file.
    package var message: String {
        switch self {
        case .unreadable(let error) where error.errno.meansMissing: "the file is not there"
        case .unreadable(let error): "cannot \(error.action.rawValue) the file: \(error.errno)"
        case .notAFile(let kind): "expected a shared object, found a \(kind.words)"
        case .empty: "expected a shared object, found an empty file"
        case .notELF(let start):
            "expected a shared object, found a file that begins with "
                + String(decoding: start, as: UTF8.self).quoted
        case .wrongClass: "built for a 32-bit machine, this host is 64-bit"
        case .wrongByteOrder: "built for a big-endian machine, this host is little-endian"
        case .notSharedObject(let kind): "expected a shared object, found \(kind)"
        case .executable: "expected a shared object, found an executable"
        case .truncated(let needs, let has) where needs == .max:
            "the file is damaged: it points beyond its \(has) bytes"
        case .truncated(let needs, let has):
            "the file is cut short: it needs \(needs) bytes and has \(has)"
        case .malformed(let part):
            "the file is damaged: its \(part.words) cannot be as it says"
        }
    }
}

extension ELFError.Part {
    fileprivate var words: String {
        switch self {
        case .header: "header"
        case .programHeaders: "table of segments"
        case .segments: "segments"
        case .notes: "notes"
        case .dynamicSection: "dynamic section"
        case .symbols: "table of symbols"
        }
    }
}

extension FileStatus.Kind {
    fileprivate var words: String {
        switch self {
        case .file: "file"
        case .directory: "directory"
        case .pipe: "named pipe"
        case .socket: "socket"
        case .device: "device"
        case .link: "symbolic link"
        case .unknown: "thing that is no file"
        }
    }
}
