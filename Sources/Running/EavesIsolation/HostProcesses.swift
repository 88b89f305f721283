// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

public import EavesHost
import EavesLife

extension Host.Isolation {
    /// Each module that the manifest isolates runs in a process of its own: the program itself, started again. So its `main`
    /// begins with `Host.begin(as: [.worker])`.
    public static let processes = Host.Isolation { ModuleProcesses() }
}

extension Host.Role {
    /// The process in which a module runs that the manifest isolates, for programs whose modules may be isolated.
    public static var worker: Host.Role {
        Host.Role { () throws(HostError) in WorkerProgram.runIfRequested() }
    }
}
