// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import CSupervisor
import Glibc

/// A tool that runs under a keeper: a child process of ours, which starts the tool and ends it with all that it has
/// started. `keeper.h` describes how.
struct KeptTool {
    /// The keeper's process identifier. It ends as the tool has ended.
    let keeper: Int32
    /// When our end of this pipe is closed, or this process is gone, the keeper kills everything.
    private var lifeline: Int32

    /// Starts a tool.
    ///
    /// - Parameter streams: The tool's descriptors, from 0 on.
    /// - Throws: ``SystemError`` if the keeper or the tool cannot be started.
    init(_ command: ChildCommand, _ streams: [ChildCommand.Stream]) throws(SystemError) {
        precondition(streams.count <= eaves_most_streams)
        guard let lifeline = Pipe() else { throw SystemError(.run, command.executable) }
        defer { close(lifeline.readEnd) }
        guard let failure = Pipe() else {
            let error = SystemError(.run, command.executable)
            close(lifeline.writeEnd)
            throw error
        }
        defer { close(failure.readEnd) }
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        do throws(SystemError) {
            let descriptors = try streams.map { stream throws(SystemError) in
                try stream.descriptor(noting: &opened)
            }
            keeper = try Self.start(command, descriptors, lifeline.readEnd, failure.writeEnd)
        } catch {
            close(failure.writeEnd)
            close(lifeline.writeEnd)
            throw error
        }
        close(failure.writeEnd)
        self.lifeline = lifeline.writeEnd
        if let error = Self.error(from: failure.readEnd) {
            endLifeline()
            while waitpid(keeper, nil, 0) < 0, errno == EINTR {}
            throw SystemError(.run, command.executable, error)
        }
    }

    /// Lets the keeper kill the tool and all that it has started. Has to be called once the keeper has ended, too.
    mutating func endLifeline() {
        guard lifeline >= 0 else { return }
        close(lifeline)
        lifeline = -1
    }

    private static func start(
        _ command: ChildCommand, _ streams: [Int32], _ lifeline: Int32, _ failure: Int32
    ) throws(SystemError) -> Int32 {
        let folder = command.folder.map { strdup($0) } ?? nil
        defer { free(folder) }
        // The list has an address, also if there are no streams.
        let keeper = (streams + [-1]).withUnsafeBufferPointer { descriptors in
            command.withCLists { executable, arguments, environment in
                // SAFETY: the keeper copies this process during the call, in which all pointers are valid.
                var tool = eaves_tool(
                    executable: executable, arguments: arguments, environment: environment,
                    folder: folder, streams: descriptors.baseAddress!,
                    stream_count: Int32(streams.count), lifeline: lifeline, failure: failure)
                return eaves_keep(&tool)
            }
        }
        guard keeper > 0 else { throw SystemError(.run, command.executable) }
        return keeper
    }

    /// Waits until the tool runs. Returns the reason if it does not.
    private static func error(from failure: Int32) -> Errno? {
        var number: Int32 = 0
        while true {
            let count = read(failure, &number, MemoryLayout.size(ofValue: number))
            if count < 0, errno == EINTR { continue }
            return count == MemoryLayout.size(ofValue: number) ? Errno(rawValue: number) : nil
        }
    }
}

extension ChildCommand.Stream {
    /// The stream as a descriptor of this process.
    ///
    /// - Parameter opened: Gets the descriptor if the caller has to close it.
    fileprivate func descriptor(noting opened: inout [Int32]) throws(SystemError) -> Int32 {
        let (path, flags, action): (String, Int32, SystemError.Action)
        switch self {
        case .descriptor(let descriptor): return descriptor
        case .reading(let name): (path, flags, action) = (name, O_RDONLY, .read)
        case .writing(let name):
            (path, flags, action) = (name, O_WRONLY | O_CREAT | O_TRUNC, .write)
        }
        let descriptor = open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError(action, path) }
        opened.append(descriptor)
        return descriptor
    }
}
