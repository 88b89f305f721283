// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesHost

extension Host.Isolation {
    /// Each module that the manifest isolates runs in a process of its own: the program itself, started again. So its `main`
    /// begins with ``ModuleWorker/runIfRequested()``.
    public static let processes = Host.Isolation {
        // A program that was started as a worker, and did not become one, would do all of its work twice.
        if WorkerProgram.isRequested { throw WorkerError.noRole }
        return ModuleProcesses()
    }
}

/// The process in which a module runs that the manifest isolates: the program itself, started again.
public enum ModuleWorker {
    /// Becomes such a process, if this one was started as one; otherwise does nothing.
    ///
    /// A program whose modules may be isolated calls this first in its `main`, on the main thread.
    public static func runIfRequested() {
        if WorkerProgram.isRequested { WorkerProgram.run() }
    }
}
