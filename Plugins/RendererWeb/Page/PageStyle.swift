// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

/// The style of all pages, for bright and dark surroundings, and for any width.
enum PageStyle {
    /// The colours of one kind of surroundings, each as `#rrggbb`.
    struct Palette {
        /// Behind everything.
        var ground: String
        /// Behind the content and in inputs.
        var surface: String
        var text: String
        /// Less important texts.
        var quiet: String
        /// Lines around what can be used.
        var line: String
        /// Links, the focus and the most usual action.
        var accent: String
        /// The text on the accent.
        var onAccent: String
        var notice: String
        var problem: String

        /// The custom properties that the rules use.
        fileprivate var properties: String {
            """
            --ground:\(ground);--surface:\(surface);--text:\(text);--quiet:\(quiet);--line:\(line);\
            --accent:\(accent);--on-accent:\(onAccent);--notice:\(notice);--problem:\(problem);
            """
        }
    }

    static let bright = Palette(
        ground: "#f4f2ee", surface: "#ffffff", text: "#22272c", quiet: "#59626b", line: "#818a93",
        accent: "#1d5f86", onAccent: "#ffffff", notice: "#e3eef5", problem: "#a32020")
    static let dark = Palette(
        ground: "#15181b", surface: "#1e2226", text: "#e9e6e0", quiet: "#a9b1b9", line: "#78828b",
        accent: "#8cc6ea", onAccent: "#10222e", notice: "#223642", problem: "#ff9d94")

    /// The style sheet.
    ///
    /// - Parameter colors: The colours of rows.
    static func rules(for colors: [PageColor]) -> HTML {
        let swatches = HTML(
            colors.map { color in
                ".\(color.className){background:#\(color.digits)}"
            })
        return """
            :root{color-scheme:light dark;\(literal(bright.properties))}
            @media(prefers-color-scheme:dark){:root{\(literal(dark.properties))}}
            \(sheet)
            \(swatches)
            """
    }

    /// A text of ours that needs no escaping, and has none.
    private static func literal(_ text: String) -> HTML { HTML(stringLiteral: text) }

    private static let sheet: HTML = """
        *{box-sizing:border-box}
        html{font:1.0625rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;\
        background:var(--ground);color:var(--text);-webkit-text-size-adjust:100%}
        body{margin:0 auto;max-width:44rem;padding:2rem 1rem 1rem;overflow-wrap:anywhere}
        header{display:flex;flex-direction:row-reverse;justify-content:space-between;\
        align-items:center;gap:1rem;min-height:3rem;margin-bottom:.75rem}
        nav{flex:1;color:var(--quiet);font-size:.9375rem}
        nav ol{display:flex;flex-wrap:wrap;list-style:none;margin:0;padding:0}
        nav li+li::before{content:"/";content:"/" / "";margin:0 .5rem}
        nav [aria-current]{color:var(--text)}
        header button{order:1}
        main{background:var(--surface);border-radius:.875rem;padding:2rem;\
        box-shadow:0 1px 2px rgb(0 0 0/.08),0 8px 28px rgb(0 0 0/.06)}
        main.modal{border-top:.375rem solid var(--accent)}
        h1{font-size:1.625rem;line-height:1.25;font-weight:650;margin:0 0 1rem;outline:0}
        p{margin:0 0 1rem;white-space:pre-line}
        .notice{background:var(--notice);border-left:.25rem solid var(--accent);\
        border-radius:.25rem;padding:.75rem 1rem}
        .problem{border-left:.25rem solid var(--problem);border-radius:.25rem;padding:.5rem 1rem;\
        color:var(--problem)}
        main>:last-child,section>:last-child{margin-bottom:0}
        .empty{color:var(--quiet)}
        .field{margin:0 0 1.125rem}
        label,legend{display:block;font-weight:600;margin-bottom:.375rem;padding:0}
        input,select,button{font:inherit;color:inherit}
        input[type=text],input[type=password],select{width:100%;min-height:2.875rem;\
        padding:.5rem .75rem;background:var(--surface);border:1px solid var(--line);\
        border-radius:.5rem}
        fieldset{border:0;margin:0 0 1.125rem;padding:0;min-width:0}
        .option{display:flex;align-items:center;gap:.625rem;min-height:2.25rem}
        .option input{width:1.25rem;height:1.25rem;margin:0;accent-color:var(--accent);flex:none}
        .option label{font-weight:400;margin:0;flex:1}
        .rows{list-style:none;margin:0 0 1.125rem;padding:0;border:1px solid var(--line);\
        border-radius:.625rem;overflow:hidden}
        .rows li+li{border-top:1px solid var(--line)}
        .rows button{display:flex;align-items:center;gap:.875rem;width:100%;text-align:start;\
        background:none;border:0;border-radius:0;padding:.75rem 1rem;font-weight:400}
        .rows button::after{content:"›";content:"›" / "";margin-inline-start:auto;\
        color:var(--quiet)}
        .rows button:focus-visible{outline-offset:-.25rem}
        .row{min-width:0}
        .name{font-weight:600;margin-inline-end:.5rem}
        .detail{color:var(--quiet)}
        .swatch{width:1.125rem;height:1.125rem;border-radius:50%;border:1px solid var(--line);\
        flex:none;forced-color-adjust:none}
        .actions{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.5rem}
        button{min-height:2.875rem;padding:.5rem 1.25rem;background:var(--surface);\
        border:1px solid var(--line);border-radius:.5rem;font-weight:600;cursor:pointer}
        button:hover{border-color:var(--accent)}
        .rows button:hover{background:var(--notice)}
        .primary{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
        .quiet{background:none;border-color:transparent;color:var(--accent);padding:.5rem .75rem;\
        margin:0 -.75rem}
        a{color:var(--accent)}
        :focus-visible{outline:.1875rem solid var(--accent);outline-offset:.125rem}
        h1:focus-visible{outline:0}
        footer{display:flex;align-items:center;gap:1.5rem;margin-top:1rem;color:var(--quiet);\
        font-size:.875rem}
        .hidden{position:absolute;width:1px;height:1px;min-height:0;margin:-1px;padding:0;border:0;\
        overflow:hidden;clip-path:inset(50%);white-space:nowrap}
        @media(max-width:34rem){body{padding:.75rem}main{padding:1.25rem}\
        .actions{flex-direction:column}.actions button{width:100%}h1{font-size:1.4375rem}}
        """
}
