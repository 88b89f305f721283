// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

package import EavesDiagnostics
import EavesSystem
import Glibc
import Synchronization

/// Tells why a module could not be loaded or did not register.
package enum LoadError: Error, Hashable, Sendable {
    /// The module needs a symbol that neither the host nor a library defines. The name is mangled.
    case undefinedSymbol(String)
    /// The module needs a library that the dynamic linker does not find.
    case missingLibrary(String)
    case noEntryPoint
    /// The entry point returned an error code or registered something invalid. Has the module's own
    /// message, if there is one.
    case refused(message: String?, code: Int32)
    /// The process has too little left of what a file takes.
    case exhausted(ProcessRoom)
    /// The process has too little static memory left for the module's variables of threads.
    case noStaticTLS
    /// The dynamic linker refuses the file for this reason.
    case notLoadable(String)
    /// The module's code did not return within this time: its entry point, or the constructors that the dynamic linker
    /// calls.
    case hangs(registers: Bool, Duration)
    /// The constructors of the module with this id have not returned, and no thread can load anything before they do.
    case linkerIsHeld(by: String)
    /// There is no further thread to run the module's code on.
    case noThread(String)

    /// Derives the error from a message of the dynamic linker.
    ///
    /// - Parameters:
    ///   - message: glibc's message, which begins with the name of the file concerned.
    ///   - file: The file to load, by the name that the linker got.
    init(linkerMessage message: String, file: String) {
        if let symbol = message.part(after: "undefined symbol: ")?.prefix(while: {
            $0 != "," && $0 != " "
        }) {
            // The linker appends a comma and a version to some symbols.
            self = .undefinedSymbol(String(symbol))
        } else if message.includes("in static TLS block") {
            self = .noStaticTLS
        } else if message.includes(": cannot open shared object file"),
            !message.hasPrefix(file),
            let colon = message.firstIndex(of: ":")
        {
            self = .missingLibrary(String(message[..<colon]))
        } else {
            let prefix = file + ": "
            self = .notLoadable(
                message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message)
        }
    }

    /// Returns the message without the module's id and file.
    ///
    /// - Parameter id: The module's id, for the fix.
    package func diagnostic(of id: String) -> Diagnostic {
        switch self {
        case .undefinedSymbol(let symbol):
            Diagnostic(
                "needs '\(SymbolName.demangled(symbol))', "
                    + "which neither this host nor a loaded library has",
                fix: "rebuild it with 'eaves build' against this host's interface, "
                    + "or link the library that has it",
                code: .incompatible)
        case .missingLibrary(let library):
            Diagnostic(
                "needs the library '\(library)', which is not on this machine",
                fix: "install '\(library)', or add its folder to LD_LIBRARY_PATH",
                code: .incompatible)
        case .noEntryPoint:
            Diagnostic(
                "expected an exported function 'eaves_register', found none",
                fix: "add an entry point, as Documentation/WritingAModule.md shows",
                code: .badData)
        case .refused(let message, let code):
            Diagnostic(
                message.map { "refused to register: \($0.indented)" }
                    ?? "refused to register, with code \(code) and no message",
                fix: (message == nil ? "ask its author" : "correct what the module reports")
                    + ", or switch the module off with 'eaves disable \(id.shellWord)'",
                code: .badData)
        case .hangs(let registers, let limit):
            Diagnostic(
                "did not \(registers ? "register" : "load") within \(limit)",
                fix: "see where it hangs with 'eaves verify \(id.shellWord)'"
                    + (registers ? "" : ", and start the host again: it may load nothing more"),
                code: .crashed)
        case .linkerIsHeld(let holder):
            Diagnostic(
                "cannot be loaded before the constructors of '\(holder)' have returned",
                fix: "start the host again", code: .temporary)
        case .noThread(let reason):
            Diagnostic(reason, fix: "end other programs, or raise 'ulimit -u'", code: .inputOutput)
        case .exhausted(let room):
            Diagnostic(
                "cannot be loaded: \(room.used) of the \(room.limit) "
                    + (room.kind == .mappings ? "mappings" : "descriptors")
                    + " that this process may have are in use, and the rest is for the program itself",
                fix: "start the host again: each file that it takes on keeps some; or raise "
                    + (room.kind == .mappings ? "'vm.max_map_count' of the system" : "'ulimit -n'"),
                code: .temporary)
        case .noStaticTLS:
            Diagnostic(
                "its variables of threads ('thread_local', '__thread') need more than is left of the static memory for "
                    + "all files that a process loads, \(ProcessRoom.staticMemory) bytes",
                fix: "start the host again, or " + Self.staticMemoryFix, code: .temporary)
        case .notLoadable(let reason):
            Diagnostic(
                "the dynamic linker refuses it: \(reason)",
                fix: reason.includes("allocate memory")
                    ? "end other programs, or start the host again"
                    : "rebuild the module for this machine", code: .badData)
        }
    }

    /// The advice for a file with too large a need of static memory.
    package static let staticMemoryFix =
        "compile the module with '-ftls-model=global-dynamic' and without the attribute 'tls_model', or start the host "
        + "with a greater 'GLIBC_TUNABLES=glibc.rtld.optional_static_tls=BYTES'"

    /// Whether files that were exchanged may have used up what this one lacks.
    package var meansWear: Bool {
        switch self {
        case .exhausted, .noStaticTLS: true
        default: false
        }
    }
}

/// How much of a thing this process has in use that each file which it loads takes some of, for good.
package struct ProcessRoom: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case descriptors, mappings }

    package let kind: Kind
    package let used: Int
    package let limit: Int

    package init(_ kind: Kind, used: Int, of limit: Int) {
        (self.kind, self.used, self.limit) = (kind, used, limit)
    }

    /// Whether files that take the place of others get no more of it: the rest is for the program's own files, connections
    /// and memory.
    package var isLow: Bool { limit - used <= max(16, limit / 8) }

    var isUsedUp: Bool { limit - used < (kind == .mappings ? 16 : 1) }

    /// How many files may be loaded before it is measured again: so many take a small part of what is free.
    private var pause: Int { (limit - used) / (kind == .mappings ? 4096 : 32) }

    /// The thing that this process has little of; `nil` if it has enough of all. Measuring takes as long as loading a file, so
    /// most calls pass it over.
    package static func shortage() -> ProcessRoom? {
        passedOver.withLock { count in
            count -= 1
            guard count < 0 else { return nil }
            let rooms = [descriptors, mappings].compactMap { $0 }
            let low = rooms.first(where: \.isLow)
            count = low == nil ? rooms.map(\.pause).min() ?? 0 : 0
            return low
        }
    }

    static let passedOver = Mutex(0)

    static var usedUp: ProcessRoom? {
        [descriptors, mappings].compactMap { $0 }.first(where: \.isUsedUp)
    }

    private static var descriptors: ProcessRoom? {
        var limits = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else {
            return nil
        }
        guard let folder = opendir("/proc/self/fd") else {
            let soft = Int(clamping: limits.rlim_cur)
            return errno == EMFILE ? ProcessRoom(.descriptors, used: soft, of: soft) : nil
        }
        defer { closedir(folder) }
        // Without the two names of folders and the folder itself.
        var count = -3
        while readdir(folder) != nil { count += 1 }
        return ProcessRoom(.descriptors, used: count, of: Int(clamping: limits.rlim_max))
    }

    private static var mappings: ProcessRoom? {
        // Files of the system say that they are empty, so a count of bytes is asked for.
        let setting = try? OpenFile(reading: "/proc/sys/vm/max_map_count")
        guard let text = try? setting?.bytes(at: 0, count: 32),
            let limit = Int(String(decoding: text, as: UTF8.self).filter(\.isNumber)),
            let maps = try? OpenFile(reading: "/proc/self/maps")
        else { return nil }
        var (count, offset) = (0, 0)
        // In pieces: there may be no mapping left for a large array.
        while let piece = try? maps.bytes(at: offset, count: 16 << 10), !piece.isEmpty {
            count += piece.count { $0 == UInt8(ascii: "\n") }
            offset += piece.count
        }
        return ProcessRoom(.mappings, used: count, of: limit)
    }

    /// How much static memory the dynamic linker has for the variables of threads of all files that a process loads, at
    /// most. In bytes.
    package static let staticMemory: Int = {
        let tunables = (Environment.atStart ?? .current)["GLIBC_TUNABLES"] ?? ""
        func value(_ name: String) -> Int? {
            tunables.part(after: "glibc.rtld.\(name)=")
                .map { Int(clamping: strtoul(String($0), nil, 0)) }
        }
        let optional = min(value("optional_static_tls") ?? 512, 1 << 32)
        // glibc's `_dl_tls_static_surplus_init`, rounded up to the alignment of a thread's memory.
        return 336 * min(value("nns") ?? 4, 16) - 192 + optional + 64
    }()
}
