// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import CEavesChild
import EavesChild
import EavesHost
import EavesInterface
import EavesProcess
import EavesTestSupport
import Testing

@testable import EavesRestart

@Suite("The process that waits for hosts", .onOwnThreads, .patiently)
struct WaiterTests {
    @Test("is none of a program that has begun threads already")
    func threads() throws {
        let error = try #require(throws: HostError.self) { try Host.begin(as: [.restart]) }
        #expect("\(error)".contains("Device or resource busy"), "\(error)")
    }

    @Test("is missed by name where a fresh process is asked for, and the work goes on")
    func none() async throws {
        let folder = try TemporaryFolder()
        try folder.write(#"{ "manifest": 1 }"#, to: "manifest.json")
        let host = try Host(manifest: folder.file("manifest.json"))
        let (failures, refused) = AsyncStream<HostError>.makeStream()
        let restart = try HotRestart(of: host) { event in
            if case .failed(.request, let error) = event { refused.yield(error) }
        }
        let code = try await restart.run {
            restart.request()
            let error = await failures.first { _ in true }
            #expect(
                error?.problems.map(\.message) == [
                    "no process waits for this one, so that none can take its place"
                ])
            return ExitCode(7)
        }
        #expect(code == ExitCode(7))
    }

    /// Seconds that hosts ran until they crashed, whether one had served, and the pauses before the next ones.
    @Test(
        "starts hosts three times at once, then after growing pauses, until one runs for a minute",
        arguments: [
            (Array(repeating: 0, count: 12), true, [0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]),
            ([3600, 3600, 3600, 3600], false, [0, 0, 0, 0]),
            ([0, 0, 0, 0, 60, 0, 0, 0], true, [0, 0, 0, 1, 0, 0, 0, 1]),
            ([0, 0, 0, 59], false, [0, 0, 0, -1]),
            ([60, 0, 0, 0], false, [0, 0, 0, 1]),
        ] as [([Int64], Bool, [Int32])])
    func pauses(lives: [Int64], hasServed: Bool, pauses: [Int32]) {
        var crashes = eaves_crashes(row: 0, has_served: hasServed)
        #expect(lives.map { eaves_pause_after_crash(&crashes, $0) } == pauses)
    }

    /// A program whose first process serves, and starts two others, one after the other. Each of them notes whether the
    /// waiter has told it of something, and whether it serves. Then it lets the waiter keep its input.
    private static let keeper = """
        #include "hot_restart.h"
        #include "local_socket.h"
        #include <stdio.h>
        #include <string.h>
        #include <sys/socket.h>
        #include <unistd.h>
        static int say(int kind, const void *bytes, size_t count, int descriptor) {
            struct { eaves_word word; char bytes[256]; } said = {.word = {kind, getpid()}}, heard;
            int descriptors[eaves_socket_most_descriptors];
            size_t descriptor_count;
            memcpy(said.bytes, bytes, count);
            eaves_socket_send(eaves_waiter_socket(), &said, sizeof said.word + count, &descriptor, descriptor >= 0);
            if (kind == eaves_word_place) return 0;
            eaves_socket_receive(eaves_waiter_socket(), &heard, sizeof heard, descriptors, &descriptor_count);
            return heard.word.value;
        }
        int main(int count, char **arguments) {
            (void)count;
            eaves_go_on_in_child();
            int predecessor = eaves_predecessor_socket();
            char answer;
            if (predecessor >= 0) {
                /* Keeps its input, and never serves. */
                answer = recv(eaves_waiter_socket(), &answer, 1, MSG_PEEK | MSG_DONTWAIT) > 0 ? '+' : '-';
                if (say(eaves_word_serves, "", 0, -1) == 0) answer = 's';
                say(eaves_word_keep, "name", 4, STDIN_FILENO);
                write(predecessor, &answer, 1);
                read(predecessor, &answer, 1);
                return 0;
            }
            char place[256] = {0};
            size_t length = strlen(strcpy(place, arguments[0])) + 1;
            say(eaves_word_place, place, length + strlen(strcpy(place + length, "/")) + 1, -1);
            for (int number = 0; number < 2; ++number) {
                int ends[2];
                eaves_socket_pair(ends);
                say(eaves_word_start, "", 0, ends[1]);
                close(ends[1]);
                if (read(ends[0], &answer, 1) == 1) putchar(answer);
            }
            return say(eaves_word_serves, "", 0, -1);
        }

        """

    @Test(
        "tells no process of what another one keeps that never served, and tells each whether it serves"
    )
    func keptEarly() throws {
        let folder = try TemporaryFolder()
        let program = folder.file("program")
        let ground = Repository.path("Sources/Ground")
        let includes = ["CEavesChild", "CEavesNative"].map { "-I\(ground)/\($0)/include" }
        let sources = [
            "CEavesChild/Waiter/host.c", "CEavesChild/Waiter/waiter.c",
            "CEavesNative/LocalSocket/local_socket.c",
        ].map { "\(ground)/\($0)" }
        try CCompiler.first().run(
            ["-w", "-D_Nonnull=", "-D_Nullable=", "-o", program] + includes
                + [folder.write(Self.keeper, to: "main.c")] + sources)
        let report = try ChildPool.run(ChildCommand(program, []))
        #expect(report.ending.isSuccess && report.output == Array("--".utf8))
    }
}
