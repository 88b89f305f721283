// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@Suite("A loader of modules", .promptly, .patiently)
struct ThreadStateTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Threads of Swift's pool do not block the signal.
    @Test(
        "gives the thread its state back that a module's code has changed",
        arguments: [false, true])
    func threadState(inConstructor: Bool) async throws {
        let code = """
            #include <fenv.h>
            #include <signal.h>
            \(inConstructor ? "__attribute__((constructor))" : "") static void change(void) {
                sigset_t signals;
                sigemptyset(&signals);
                sigaddset(&signals, SIGPROF);
                sigprocmask(SIG_BLOCK, &signals, 0);
                fesetround(FE_UPWARD);
            }
            int32_t eaves_register(const eaves_host *host) { \(inConstructor ? "" : "change();") return 0; }
            """
        let file = try CModules.compile(code, in: folder, ["-lm"])
        await #expect(processExitsWith: .success) { [file = file as String] in
            try KeptRegistrations().load(file)
            var blocked = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &blocked)
            #expect(fegetround() == 0 && sigismember(&blocked, SIGPROF) == 0)
            let changes = ThreadState.takeChanges()
            #expect(changes.ofArithmetic && changes.signals == [SIGPROF])
            let rest = ThreadState.takeChanges()
            #expect(!rest.ofArithmetic && rest.signals.isEmpty)
        }
    }
}
