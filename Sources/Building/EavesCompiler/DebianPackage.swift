// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics

/// The names of the Debian packages with the headers and libraries that modules commonly use.
///
/// The list is short, and says nothing about a library that it does not know: a wrong name would be worse
/// than none. Each package was looked up in Debian 12 (bookworm), with `apt-cache policy`; of those that were
/// installed there, also that they have the libraries and headers. `libjpeg-dev` brings both through a package
/// that it depends on.
package enum DebianPackage {
    private static let byLibrary = [
        "archive": "libarchive-dev", "bz2": "libbz2-dev", "crypto": "libssl-dev",
        "curl": "libcurl4-openssl-dev", "edit": "libedit-dev", "event": "libevent-dev",
        "expat": "libexpat1-dev", "ffi": "libffi-dev", "form": "libncurses-dev",
        "formw": "libncurses-dev", "git2": "libgit2-dev", "glib-2.0": "libglib2.0-dev",
        "gmp": "libgmp-dev", "jpeg": "libjpeg-dev", "lzma": "liblzma-dev",
        "menu": "libncurses-dev", "menuw": "libncurses-dev", "microhttpd": "libmicrohttpd-dev",
        "ncurses": "libncurses-dev", "ncursesw": "libncurses-dev", "panel": "libncurses-dev",
        "panelw": "libncurses-dev", "pcre2-8": "libpcre2-dev", "png": "libpng-dev",
        "pq": "libpq-dev", "readline": "libreadline-dev", "SDL2": "libsdl2-dev",
        "sodium": "libsodium-dev", "sqlite3": "libsqlite3-dev", "ssl": "libssl-dev",
        "systemd": "libsystemd-dev", "tinfo": "libncurses-dev", "udev": "libudev-dev",
        "usb-1.0": "libusb-1.0-0-dev", "uuid": "uuid-dev", "uv": "libuv1-dev",
        "xml2": "libxml2-dev", "yaml": "libyaml-dev", "z": "zlib1g-dev", "zstd": "libzstd-dev",
    ]

    /// The package by a header, or by the folder that a header is in.
    private static let byHeader = [
        "archive.h": "libarchive-dev", "bzlib.h": "libbz2-dev", "curl": "libcurl4-openssl-dev",
        "curses.h": "libncurses-dev", "editline": "libedit-dev", "event2": "libevent-dev",
        "expat.h": "libexpat1-dev", "ffi.h": "libffi-dev", "git2.h": "libgit2-dev",
        "glib.h": "libglib2.0-dev", "gmp.h": "libgmp-dev", "histedit.h": "libedit-dev",
        "jpeglib.h": "libjpeg-dev", "libpq-fe.h": "libpq-dev", "libudev.h": "libudev-dev",
        "libusb.h": "libusb-1.0-0-dev", "libxml": "libxml2-dev", "lzma.h": "liblzma-dev",
        "microhttpd.h": "libmicrohttpd-dev", "ncurses.h": "libncurses-dev",
        "ncursesw": "libncurses-dev", "openssl": "libssl-dev", "pcre2.h": "libpcre2-dev",
        "png.h": "libpng-dev", "readline": "libreadline-dev", "SDL2": "libsdl2-dev",
        "sodium.h": "libsodium-dev", "sqlite3.h": "libsqlite3-dev", "systemd": "libsystemd-dev",
        "uuid": "uuid-dev", "uv.h": "libuv1-dev", "yaml.h": "libyaml-dev",
        "zlib.h": "zlib1g-dev", "zstd.h": "libzstd-dev",
    ]

    /// Headers of C++ that every program in it uses, of those whose names have no ending.
    private static let cxxHeaders: Set<String> = [
        "algorithm", "array", "atomic", "chrono", "cstdint", "cstdio", "cstdlib", "cstring",
        "functional", "iostream", "map", "memory", "mutex", "optional", "set", "span", "sstream",
        "stdexcept", "string", "string_view", "thread", "tuple", "type_traits", "unordered_map",
        "utility", "variant", "vector",
    ]

    /// The package with a library, such as `libsqlite3-dev` for `sqlite3`; `nil` if it is not known.
    static func package(ofLibrary name: String) -> String? { byLibrary[name] }

    /// The package with a `.pc` file, such as `libxml2-dev` for `libxml-2.0`; `nil` if it is not known.
    static func package(ofPkgConfig name: String) -> String? {
        byPkgConfig[name] ?? byLibrary[name]
            ?? (name.hasPrefix("lib") ? byLibrary[String(name.dropFirst(3))] : nil)
    }

    /// The package by the name of a `.pc` file that is not that of the library.
    private static let byPkgConfig = [
        "libxml-2.0": "libxml2-dev", "openssl": "libssl-dev", "sdl2": "libsdl2-dev",
        "yaml-0.1": "libyaml-dev", "zlib": "zlib1g-dev",
    ]

    /// The package with a header, such as `libsqlite3-dev` for `sqlite3.h`, or for `/usr/include/sqlite3.h`;
    /// `nil` if it is not known.
    static func package(ofHeader header: String) -> String? {
        let parts = header.split(separator: "/").map(String.init)
        if parts.count == 1, cxxHeaders.contains(header) { return "g++" }
        return parts.firstNonNil { byHeader[$0] }
    }
}
