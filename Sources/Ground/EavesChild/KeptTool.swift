// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import CEavesSupervisor
package import EavesProcess
package import EavesSystem
import Glibc

/// A tool that runs under a keeper: a child process of ours, which starts the tool and ends it with all that it has
/// started. `keeper.h` describes how.
///
/// Its owner lets it go when the keeper has ended. Not Sendable.
final class KeptTool: ChildKeeper {
    private let kept: OpaquePointer
    /// When our end of this pipe is closed, or this process is gone, the keeper kills everything.
    private var lifeline: Int32

    /// Starts a tool, and returns when it runs.
    ///
    /// - Parameter streams: The tool's descriptors, from 0 on.
    init(_ command: ChildCommand, _ streams: [ChildCommand.Stream]) throws(SystemError) {
        precondition(streams.count <= eaves_most_streams)
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard null >= 0 else { throw SystemError(.read, "/dev/null") }
        defer { close(null) }
        let descriptors = streams.map { stream in
            if case .descriptor(let descriptor) = stream { descriptor } else { null }
        }
        guard let lifeline = Pipe() else { throw SystemError(.run, command.executable) }
        defer { close(lifeline.readEnd) }
        guard let kept = Self.start(command, descriptors, lifeline.readEnd) else {
            let error = SystemError(.run, command.executable)
            close(lifeline.writeEnd)
            throw error
        }
        self.kept = kept
        self.lifeline = lifeline.writeEnd
    }

    deinit {
        endLifeline()
        eaves_free_kept(kept)
    }

    var keeper: Int32 { eaves_keeper(kept) }

    var ending: ChildEnding { ChildEnding(status: eaves_kept_status(kept)) }

    func endLifeline() {
        guard lifeline >= 0 else { return }
        close(lifeline)
        lifeline = -1
    }

    private static func start(
        _ command: ChildCommand, _ streams: [Int32], _ lifeline: Int32
    ) -> OpaquePointer? {
        let folder = command.folder.map { strdup($0) } ?? nil
        defer { free(folder) }
        // The list has an address, also if there are no streams.
        return (streams + [-1]).withUnsafeBufferPointer { descriptors in
            command.withCLists { executable, arguments, environment in
                // SAFETY: the keeper reads through the pointers until the call returns, which waits for that.
                var tool = eaves_tool(
                    executable: executable, arguments: arguments, environment: environment,
                    folder: folder, streams: descriptors.baseAddress!,
                    stream_count: Int32(streams.count), lifeline: lifeline)
                return eaves_keep(&tool)
            }
        }
    }
}

extension ChildProcess {
    /// Starts a tool under a keeper, which ends it with all that it has started, in any process group or session: a
    /// compiler's driver gives each compiler a group of its own. If this process is killed, the keeper kills all of them.
    package convenience init(
        keeping command: ChildCommand, _ streams: [ChildCommand.Stream]
    ) throws(SystemError) {
        self.init(keptBy: try KeptTool(command, streams))
    }
}
