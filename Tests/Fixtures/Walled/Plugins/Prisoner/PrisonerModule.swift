// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEscape
import EavesInterface
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

    func process() async throws -> Int { Int(getpid()) }
}
