// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesJSON

/// What tells, without reading it, that an SDK is still the one it was.
struct SDKStamps: Hashable, Sendable {
    let interface: FileStamp?
    let header: FileStamp?

    init(_ sdk: SDK) {
        interface = FileStamp(path: sdk.textualInterface)
        header = FileStamp(path: sdk.header)
    }
}

extension SDKStamps {
    var json: JSON {
        ["interface": interface?.json ?? nil, "header": header?.json ?? nil]
    }

    init(_ node: JSONNode?) {
        interface = FileStamp(node?["interface"])
        header = FileStamp(node?["header"])
    }
}
