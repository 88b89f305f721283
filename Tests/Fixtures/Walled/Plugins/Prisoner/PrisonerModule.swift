// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEscape
import EavesInterface
import Foundation
import Glibc
import PrisonAPI

enum PrisonerModule: Module {
    static func register(in registrar: any Registrar) {
        registrar.register((any Prisoner).self, scope: .shared) { _ in Inmate() }
    }
}

struct Inmate: Prisoner {
    func ways() async throws -> [String] {
        (0...).lazy.map { escape_name($0) }.prefix { $0 != nil }.map { String(cString: $0!) }
    }

    func escape(_ way: String, to folder: String) async throws -> Int {
        Int(escape_try(way, folder))
    }

    func read(_ path: String) async throws -> Int { Int(escape_read(path)) }
    func change(_ folder: String) async throws -> Int { Int(escape_change(folder)) }

    func empty(_ path: String) async throws -> Int {
        let file = open(path, O_WRONLY | O_TRUNC)
        guard file >= 0 else { return Int(errno) }
        close(file)
        return 0
    }

    func connect(_ host: String, _ port: Int) async throws -> Int {
        Int(escape_connect(host, Int32(port)))
    }

    func listen(_ host: String, _ port: Int) async throws -> Int {
        Int(escape_listen(host, Int32(port)))
    }

    func resolve(_ name: String) async throws -> Int { Int(escape_resolve(name)) }
    func run(_ program: String) async throws -> Int { Int(escape_run(program)) }
    func leave(_ program: String) async throws -> Int { Int(escape_leave(program, "600")) }
    func variable(_ name: String) async throws -> String? {
        getenv(name).map { String(cString: $0) }
    }

    func say(_ bytes: [UInt8], times count: Int) async throws -> Int {
        for _ in 0..<count {
            // The descriptor of the channel.
            if Glibc.write(3, bytes, bytes.count) < 0 { return Int(errno) }
        }
        return 0
    }

    func strike(_ blow: [String]) async throws -> Int {
        let numbers = blow.map { Int32($0) ?? 0 }
        switch blow[0] {
        case "pass": return Int(escape_pass(3, 1))
        case "flight": return Int(escape_flight())
        case "options": return Int(escape_options(numbers[1]))
        case "pause": return Int(pause())
        case "shut": return shutdown(1, Int32(SHUT_RDWR)) == 0 ? 0 : Int(errno)
        case "child": return Int(escape_connect_child(blow[1], numbers[2]))
        case "relink":
            guard rename(blow[1], blow[1] + ".old") == 0, symlink(blow[2], blow[1]) == 0 else {
                return Int(errno)
            }
            return 0
        case "hoard":
            return hoard(UInt8(numbers[1]), size: Int(numbers[2]), times: UInt64(numbers[3]))
        case "mode": return chmod(blow[1], 0o600) == 0 ? 0 : Int(errno)
        case "lock":
            let file = open(blow[1], O_RDONLY)
            return file >= 0 && flock(file, LOCK_EX) == 0 ? 0 : Int(errno)
        case "cut": return truncate(blow[1], 2) == 0 ? 0 : Int(errno)
        case "unknown": return Int(escape_newest())
        case "unnamed":
            guard let file = tmpfile() else { return Int(errno) }
            return fputs("text", file) >= 0 && fclose(file) == 0 ? 0 : Int(errno)
        default: return Int(EINVAL)
        }
    }

    /// Sends messages of a kind with numbers of their own, which the host may keep.
    private func hoard(_ kind: UInt8, size: Int, times: UInt64) -> Int {
        for number in 1_000_000..<1_000_000 + times {
            var frame: [UInt8] = [2]
            withUnsafeBytes(of: UInt32(9 + size).littleEndian) { frame += $0 }
            frame.append(kind)
            withUnsafeBytes(of: number.littleEndian) { frame += $0 }
            // A message that goes on has the size of the rest in front, here 1 MB.
            frame += kind < 0x80 ? [] : [0, 0, 16, 0]
            frame += Array(repeating: UInt8(ascii: "x"), count: size - (kind < 0x80 ? 0 : 4))
            var rest = frame[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(3, $0.baseAddress, $0.count) }
                guard count > 0 else { return Int(errno) }
                rest = rest.dropFirst(count)
            }
        }
        return 0
    }

    func temporary(_ megabytes: Int) async throws -> String {
        let found = [
            String(cString: getenv("TMPDIR")), String(cString: getenv("SQLITE_TMPDIR")),
            FileManager.default.temporaryDirectory.path,
        ]
        var name = Array("\(found[0])/XXXXXX".utf8CString)
        let file = mkstemp(&name)
        guard file >= 0, unlink(name) == 0 else {
            return String(cString: strerror(errno))
        }
        let piece = [UInt8](repeating: 1, count: 1 << 20)
        for _ in 0..<megabytes where Glibc.write(file, piece, piece.count) < 0 {
            return String(cString: strerror(errno))
        }
        return Set(found).sorted().joined(separator: ", ")
    }

    func process() async throws -> Int { Int(getpid()) }
}
