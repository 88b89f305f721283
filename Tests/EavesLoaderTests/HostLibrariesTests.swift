// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesLoader
import EavesSystem
import EavesTestSupport
import Glibc
import Testing

@Suite("The libraries and symbols of this process", .onOwnThreads)
struct HostLibrariesTests {
    @Test("are found if they are loaded, and are not loaded by being looked for")
    func libraries() throws {
        #expect(HostLibraries.has("libc.so.6"))
        #expect(!HostLibraries.has("libghost.so"))
        #expect(HostLibraries.loaded("libc.so.6", defines: "malloc") == true)
        #expect(HostLibraries.loaded("libc.so.6", defines: "function_of_nobody") == false)
        #expect(HostLibraries.loaded("libghost.so", defines: "malloc") == nil)
        let folder = try TemporaryFolder()
        let file = try CModules.compile("int unloaded;", in: folder)
        #expect(!HostLibraries.has(file))
        let handle = try #require(dlopen(file, RTLD_NOW | RTLD_LOCAL))
        #expect(HostLibraries.has(file))
        #expect(HostLibraries.loaded(file, defines: "unloaded") == true)
        #expect(!HostSymbols.has("unloaded"))
        dlclose(handle)
    }

    @Test("leave no message of the linker behind when they are not found")
    func clearsError() {
        _ = HostLibraries.has("libghost.so")
        #expect(dlerror() == nil)
    }

    @Test("are searched in folders that exist on this machine")
    func folders() {
        let folders = HostLibraries.folders
        #expect(folders.contains { $0.hasPrefix("/lib") || $0.hasPrefix("/usr/lib") })
    }

    @Test("has the symbols of the runtime, and names Swift's and C++'s as people write them")
    func symbols() {
        #expect(HostSymbols.has("swift_retain"))
        #expect(!HostSymbols.has("function_of_nobody"))
        #expect(SymbolName.demangled("$sSS5countSivg") == "Swift.String.count.getter : Swift.Int")
        #expect(SymbolName.demangled("_ZN7Weather4coldEi") == "Weather::cold(int)")
        #expect(SymbolName.demangled("_ZN7Weather") == "_ZN7Weather")
        #expect(SymbolName.demangled("malloc") == "malloc")
    }
}
