// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One wrong thing to do.
struct Misdeed {
    let name: String

    init(_ name: String) {
        self.name = name
    }

    func commit() throws {
        switch name {
        case "trap": fatalError("on purpose")
        case "stray": strayWrite()
        case "abort": abort()
        case "exit": exit(0)
        case "loop": loop()
        case "throw": throw NotToday()
        case "print": printTwice()
        case "sleep": usleep(400_000)
        case "sleepTwice": sleepTwice()
        case "thread": startThread()
        case "file": _ = open("/dev/zero", O_RDONLY)
        case "close": close(STDIN_FILENO)
        case "state": changeState()
        case "rounding": fesetround(FE_UPWARD)
        default: fatalError("there is no misdeed '\(name)'")
        }
    }

    struct NotToday: Error {}

    private func strayWrite() {
        UnsafeMutablePointer<Int>(bitPattern: 0x10)?.pointee = 1
    }

    private func loop() {
        while true { usleep(0) }
    }

    /// Through the C library, and behind its back.
    private func printTwice() {
        print("hello from print")
        write(STDOUT_FILENO, "hello from write\n", 17)
    }

    /// In the first two processes that get here.
    private func sleepTwice() {
        for name in ["slept", "slept-again"] {
            let file = open(name, O_CREAT | O_EXCL, 0o600)
            guard file >= 0 else { continue }
            close(file)
            usleep(400_000)
            return
        }
    }

    private func startThread() {
        var thread = pthread_t()
        pthread_create(&thread, nil, { _ in while true { sleep(1000) } }, nil)
    }

    private func changeState() {
        chdir("/")
        umask(0o007)
        setenv("MISBEHAVES", "1", 1)
        unsetenv("PATH")
        setlocale(LC_ALL, "C.UTF-8")
        signal(SIGUSR1, SIG_IGN)
        alarm(100_000)
        nice(1)
    }
}
