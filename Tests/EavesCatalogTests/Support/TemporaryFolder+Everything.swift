// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesSystem
import EavesTestSupport
import Glibc
import Testing

extension TemporaryFolder {
    /// Everything that there is: good and bad files, links, duplicates, sources with and without a
    /// file, and a manifest that has a word on most of it.
    func addEverything() throws {
        try add(.sample("users", provides: ["UserService"], features: ["users"]))
        try add(.sample("users-v2", provides: ["UserService"]))
        try add(.sample("double", features: ["a"]), as: "Plugins/one.so")
        try add(.sample("double", features: ["b"]), as: "Plugins/two.so")
        try add(.sample("listed", provides: ["Listed"]), as: "vendor/l.so")
        try add(.sample("listed", provides: ["Listed"]), as: "Plugins/listed.so")
        try add(.sample("mine", requires: ["UserService"]), as: "vendor/other.so")
        try add(.sample("off", features: ["off"]))
        try add(.sample("swapped", features: ["swapped"]), as: "Plugins/source.so")
        try write("no module", to: "Plugins/bad.so")
        try write(Binaries.withoutNote.get(), to: "Plugins/nameless.so")
        try write("text", to: "Plugins/built.so")
        #expect(symlink("../vendor/l.so", Path.join(path, "Plugins/link.so")) == 0)
        #expect(symlink("nowhere", Path.join(path, "Plugins/dangling.so")) == 0)
        try addSource(.sample("source", features: ["source"]), in: "Plugins/Source")
        try addSource(.sample("built", provides: ["Built"]), in: "Plugins/Built")
        try addSource(.sample("unbuilt", features: ["unbuilt"]), in: "Plugins/Unbuilt")
        try write("{", to: "Plugins/Broken/module.json")
        try write(
            """
            { "manifest": 1, "directories": ["Plugins", "missing"],
              "modules": { "listed": { "library": "vendor/l.so" },
                           "mine": { "library": "vendor/other.so", "settings": { "a": 1 } },
                           "wrong": { "library": "Plugins/users-v2.so" },
                           "off": { "enabled": false }, "nowhere": {} },
              "bindings": { "UserService": "users", "Ghost": "users" } }
            """, to: "manifest.json")
    }
}
