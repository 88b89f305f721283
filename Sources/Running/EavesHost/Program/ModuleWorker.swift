// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesWorker

/// The process in which a module runs that the manifest isolates: the program itself, started again.
public enum ModuleWorker {
    /// Becomes such a process, if this one was started as one; otherwise does nothing.
    ///
    /// A program whose modules may be isolated calls this first in its `main`, on the main thread.
    public static func runIfRequested() {
        if WorkerProgram.isRequested { WorkerProgram.run() }
    }
}
