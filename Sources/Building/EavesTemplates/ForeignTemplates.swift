// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// Modules that meet the host in C. They offer features; services are protocols of Swift.
extension ModuleTemplate {
    /// - Parameter suffix: The suffix of the source, `c` or `cpp`.
    func cFiles(_ suffix: String) -> [NewFile] {
        let isC = suffix == "c"
        let unused = isC ? "    (void)state;\n" : ""
        let entry = isC ? "" : "extern \"C\" "
        let feature =
            isC
            ? "const eaves_feature feature = {.size = sizeof feature, .name = \"\(id)\", .launch = greet};"
            : "const eaves_feature feature = {sizeof feature, \"\(id)\", nullptr, greet, nullptr};"
        let source = """
            #include "eaves.h"

            #include <\(isC ? "stdio.h" : "cstdio")>
            #include <\(isC ? "string.h" : "cstring")>

            static int32_t greet(void *\(isC ? "state" : ""), const eaves_launch *launch) {
            \(unused)    const char *name = launch->argc > 0 ? launch->argv[0] : "world";
                if (strcmp(name, "--help") == 0) {
                    dprintf(launch->output, "usage: \(id) [NAME]\\n");
                } else {
                    dprintf(launch->output, "Hello, %s!\\n", name);
                }
                return 0;
            }

            \(entry)int32_t eaves_register(const eaves_host *host) {
                \(feature)
                return host->register_feature(host, &feature);
            }

            """
        return [NewFile("\(id).\(suffix)", source), testFile()]
    }

    var rustFiles: [NewFile] {
        // Cargo allows neither a point nor a digit in front.
        let name = String(id.map { $0 == "." ? "-" : $0 })
        let crate = name.first?.isNumber == true ? "module-" + name : name
        let manifest = """
            [package]
            name = "\(crate)"
            version = "1.0.0"
            edition = "2021"

            [lib]
            crate-type = ["cdylib"]

            """
        let source = """
            mod eaves;

            use eaves::{Feature, Host, Launch};
            use std::ffi::{c_void, CStr};
            use std::fs::File;
            use std::io::Write;
            use std::mem::ManuallyDrop;
            use std::os::fd::FromRawFd;

            unsafe extern "C" fn greet(_state: *mut c_void, launch: *const Launch) -> i32 {
                let launch = &*launch;
                // The host closes the descriptor.
                let mut output = ManuallyDrop::new(File::from_raw_fd(launch.output));
                let name = if launch.argc > 0 {
                    CStr::from_ptr(*launch.argv).to_string_lossy()
                } else {
                    "world".into()
                };
                let written = match name.as_ref() {
                    "--help" => writeln!(output, "usage: \(id) [NAME]"),
                    name => writeln!(output, "Hello, {name}!"),
                };
                match written {
                    Ok(()) => 0,
                    Err(_) => 74,
                }
            }

            /// The host calls this once for each generation of the module.
            #[no_mangle]
            pub unsafe extern "C" fn eaves_register(host: *const Host) -> i32 {
                let feature = Feature {
                    size: std::mem::size_of::<Feature>() as u32,
                    name: c"\(id)".as_ptr(),
                    state: std::ptr::null_mut(),
                    launch: Some(greet),
                    destroy: None,
                };
                ((*host).register_feature.unwrap())(host, &feature)
            }

            """
        return [
            NewFile("Cargo.toml", manifest), NewFile("src/lib.rs", source),
            NewFile("src/eaves.rs", RustBindings.text), testFile(),
        ]
    }
}

/// The structures of `eaves.h` in Rust. A test compares their layout with that of the header.
package enum RustBindings {
    package static let text = """
        //! The C ABI between an Eaves host and its modules. `eaves.h` is the specification, and explains every field.
        #![allow(dead_code)]

        use std::ffi::{c_char, c_void};

        #[repr(C)]
        pub struct Launch {
            pub size: u32,
            pub argc: i32,
            pub argv: *const *const c_char,
            pub input: i32,
            pub output: i32,
            pub error: i32,
        }

        #[repr(C)]
        pub struct Feature {
            pub size: u32,
            pub name: *const c_char,
            pub state: *mut c_void,
            pub launch: Option<unsafe extern "C" fn(*mut c_void, *const Launch) -> i32>,
            pub destroy: Option<unsafe extern "C" fn(*mut c_void)>,
        }

        #[repr(C)]
        pub struct Answer {
            pub size: u32,
            pub fail: Option<unsafe extern "C" fn(*const Answer, *const c_char)>,
            pub write: Option<unsafe extern "C" fn(*const Answer, *const c_void, u64)>,
        }

        #[repr(C)]
        pub struct Lifecycle {
            pub size: u32,
            pub state: *mut c_void,
            pub start: Option<unsafe extern "C" fn(*mut c_void, *const Answer) -> i32>,
            pub stop: Option<unsafe extern "C" fn(*mut c_void, *const Answer) -> i32>,
            pub is_healthy: Option<unsafe extern "C" fn(*mut c_void, *const Answer) -> i32>,
            pub snapshot: Option<unsafe extern "C" fn(*mut c_void, *const Answer) -> i32>,
            pub restore:
                Option<unsafe extern "C" fn(*mut c_void, *const c_void, u64, *const Answer) -> i32>,
            pub destroy: Option<unsafe extern "C" fn(*mut c_void)>,
        }

        #[repr(C)]
        pub struct Host {
            pub abi_version: u32,
            pub size: u32,
            /// For modules in Swift.
            pub registrar: *mut c_void,
            pub register_feature: Option<unsafe extern "C" fn(*const Host, *const Feature) -> i32>,
            pub fail: Option<unsafe extern "C" fn(*const Host, *const c_char)>,
            pub log: Option<unsafe extern "C" fn(*const Host, i32, *const c_char)>,
            pub settings: Option<unsafe extern "C" fn(*const Host) -> *const c_char>,
            pub path: Option<unsafe extern "C" fn(*const Host, *const c_char) -> *const c_char>,
            pub register_lifecycle: Option<unsafe extern "C" fn(*const Host, *const Lifecycle) -> i32>,
        }

        """
}
