// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesChild
package import EavesManifest
import EavesProcess
package import EavesSystem
import EavesTrust
import Glibc

/// Takes all rights from this process that its module has no permission for, and proves that they are gone.
///
/// The process has one thread then, and none of the module's code.
package struct Wall {
    private let permissions: Permissions
    private var gaps: [String] = []
    /// The descriptor on which the host decides about calls; -1 for none.
    private var listener: Int32 = -1

    /// Raises the wall.
    ///
    /// - Parameters:
    ///   - permissions: The rights that the module keeps, with absolute paths.
    ///   - files: The descriptors of the files that the process loads.
    ///   - channel: The descriptor on which the other process learns where it decides about calls. It carries nothing else
    ///     meanwhile.
    /// - Returns: The rights that the system does not take from the process; empty if the wall is whole.
    /// - Throws: `SystemError` if a file that the module may have cannot be opened.
    package static func raise(
        _ permissions: Permissions, around files: [Int32],
        decidedOn channel: Int32
    ) throws(SystemError) -> [String] {
        var wall = Wall(permissions: permissions)
        do throws(SystemError) {
            try wall.limitFiles(files)
        } catch {
            forgo(decidedOn: channel)
            throw error
        }
        wall.limitCalls(channel)
        // The last one is the module's own.
        wall.prove(reading: PathHandle.ownPath(of: files.last ?? -1))
        return wall.gaps
    }

    /// Lets the other process go on, which waits for the wall of this one: no code of the module is going to run.
    package static func forgo(decidedOn channel: Int32) { BrokerDescriptor.tell(-1, on: channel) }

    // MARK: Environment

    private static let usual: Set = [
        "HOME", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "LOGNAME", "PATH", "TMPDIR", "TZ", "USER",
        "XDG_CONFIG_HOME",
    ]

    /// Those that tell nothing about the user.
    private static let harmless: Set = ["LANG", "LANGUAGE", "LD_LIBRARY_PATH", "TZ"]

    /// The environment of a process that runs modules apart from a host: the few variables of this process without which
    /// programs do not find their libraries, their language, their time zone and their user's folders.
    ///
    /// - Parameters:
    ///   - permissions: The rights of a process behind a wall, which gets no more than they list besides what is harmless;
    ///     `nil` for a process without a wall.
    ///   - space: The folder for the temporary files of a process behind a wall.
    package static func environment(
        _ permissions: Permissions?, _ space: TemporarySpace?
    ) -> Environment {
        let kept = permissions.map { harmless.union($0.environment) } ?? usual
        var made = Environment(
            Environment.current.entries.filter { entry in
                let name = String(entry.prefix { $0 != "=" })
                return kept.contains(name) || name.hasPrefix("LC_")
            })
        // The process's own report tells the place of a crash, and takes no seconds for it.
        made["SWIFT_BACKTRACE"] = "enable=no"
        if let space { for name in TemporarySpace.variables { made[name] = space.path } }
        // The C library asks for one address after the other then, in a way that names no place to send to.
        if permissions?.resolvesNames == true { made["RES_OPTIONS"] = "single-request" }
        return made
    }

    // MARK: Files

    /// Programs read these, which tell nothing of their users: libraries, languages, time zones.
    private static let common = [
        "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache",
        "/usr/share/locale", "/usr/share/i18n", "/usr/share/zoneinfo", "/etc/localtime",
        "/dev/zero", "/dev/urandom", "/dev/random", "/sys/devices/system/cpu",
        // The library of queues ends a process that cannot read the state of its threads here. The memory, the
        // environment and the descriptors of other processes stay closed.
        "/proc",
    ]
    private static let ofResolver = [
        "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf",
        "/etc/services", "/etc/protocols",
    ]
    private static let loaders = [
        "/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1",
    ]
    private static let ofNetwork = ["/etc/ssl/certs", "/etc/pki/tls/certs"]

    private mutating func limitFiles(_ files: [Int32]) throws(SystemError) {
        var tasks = stat()
        // A folder has two links besides those of the folders in it.
        if stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink != 3 {
            gaps.append(
                "files: the program has started a thread before its 'main', which keeps its rights")
        }
        let rules = eaves_wall_rules()
        guard rules >= 0 else {
            gaps.append("files: the system has no Landlock (\(Errno.current))")
            return
        }
        eaves_wall_allow_libraries(rules)
        for file in files { eaves_wall_allow(rules, file, UInt32(eaves_wall_read)) }
        let libraries = Environment.current["LD_LIBRARY_PATH"] ?? ""
        var readable = Self.common + libraries.split(separator: ":").map { String($0) }
        if permissions.usesNetwork { readable += Self.ofNetwork }
        if permissions.resolvesNames { readable += Self.ofResolver }
        // A system need not have all of them.
        for path in readable { try? Self.allow(path, eaves_wall_read, rules) }
        try? Self.allow("/dev/null", eaves_wall_write, rules)
        do throws(SystemError) {
            let files = PermittedFiles(besides: permissions.changeable)
            let space = TemporarySpace.variables.prefix(1).compactMap { Environment.current[$0] }
            for (paths, rights) in [
                (permissions.read, eaves_wall_read), (permissions.write + space, eaves_wall_write),
                (permissions.run, eaves_wall_run),
            ] {
                for path in paths {
                    let file = try files.open(path)
                    try Self.allow(file.ownPath, rights, rules)
                    _ = consume file
                }
            }
        } catch {
            close(rules)
            throw error
        }
        // The kernel starts each program by one of these.
        if !permissions.run.isEmpty {
            for path in Self.loaders { try? Self.allow(path, eaves_wall_run, rules) }
        }
        if eaves_wall_enforce(rules) != 0 {
            gaps.append("files: the system refuses rules of Landlock (\(Errno.current))")
        }
    }

    private static func allow(
        _ path: String, _ rights: some BinaryInteger, _ rules: Int32
    ) throws(SystemError) {
        guard eaves_wall_allow_path(rules, path, UInt32(rights)) == 0 else {
            throw SystemError(.open, path)
        }
    }

    // MARK: System calls

    /// The version of Landlock that keeps signals inside.
    private static let firstWithScopes: Int32 = 6

    private var rights: UInt32 {
        var rights = 0
        if !permissions.connect.isEmpty || !permissions.listen.isEmpty {
            rights |= eaves_wall_network
        }
        if permissions.resolvesNames { rights |= eaves_wall_resolve }
        if !permissions.run.isEmpty { rights |= eaves_wall_processes }
        if eaves_wall_landlock() >= Self.firstWithScopes { rights |= eaves_wall_scoped_signals }
        return UInt32(rights)
    }

    private mutating func limitCalls(_ channel: Int32) {
        if eaves_wall_filter(rights, &listener) != 0 {
            gaps.append("system calls: the system refuses a filter (\(Errno.current))")
        }
        BrokerDescriptor.tell(listener, on: channel)
        // Waits until the host has copied it. Without a host, this process ends.
        if listener >= 0, Frame.read(from: channel) == nil { _exit(1) }
    }

    // MARK: Proof

    private static let acts: [(act: Int, words: String)] = [
        (eaves_wall_act_read, "files: a file that it may not read could be opened"),
        (eaves_wall_act_write, "files: a file that it may not change could be opened for writing"),
        (eaves_wall_act_connect, "network: a forbidden socket or connection was not refused"),
        (eaves_wall_act_signal, "signals: the host could be signalled"),
        (eaves_wall_act_fork, "processes: a child could be made"),
        (eaves_wall_act_exec, "processes: a program could be started"),
        (eaves_wall_act_memory, "memory: that of the host could be asked for"),
        (eaves_wall_act_allowed, "files: the module's own file could not be opened"),
    ]

    private mutating func prove(reading file: String) {
        var acts = Self.acts.reduce(0) { $0 | UInt32($1.act) }
        let everything = permissions.write + permissions.read
        if everything.contains("/") { acts &= ~UInt32(eaves_wall_act_read) }
        let name = "/proc/self/comm"
        if permissions.write.contains(where: { $0 == "/" || name == $0 || name.hasPrefix($0 + "/") }
        ) {
            acts &= ~UInt32(eaves_wall_act_write)
        }
        let failures = eaves_wall_failures(acts, rights, file)
        if listener >= 0 { close(listener) }
        for (act, words) in Self.acts where failures & UInt32(act) != 0 { gaps.append(words) }
    }
}
