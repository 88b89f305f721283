// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

internal import EavesJSON

/// The members of an object of the manifest, by key.
///
/// They are few. A dictionary of these keys would cost each start of the command more than all of
/// the reading: the runtime goes through every conformance of the process to find that of the key.
struct ManifestFields {
    let members: [JSONMember]

    /// The value of a key, if it is there.
    subscript(key: ManifestKey) -> JSONNode? { value(of: key.rawValue) }

    /// The value of a key of an entry of `modules`, if it is there.
    subscript(key: ManifestKey.Module) -> JSONNode? { value(of: key.rawValue) }

    private func value(of name: String) -> JSONNode? {
        members.last { $0.name == name }?.value
    }
}
