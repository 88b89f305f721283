// Copyright 2026 The Eaves Authors
// SPDX-License-Identifier: Apache-2.0

import EavesDiagnostics
import EavesJSON

/// A picture as one file for a browser, in which a person can move around, search, and read what is known of a module.
///
/// The page loads nothing from elsewhere, and its policy would not let it.
extension ModuleGraph {
    /// - Parameters:
    ///   - svg: The picture that graphviz made of ``dotText``.
    ///   - details: The text about each module, by its id.
    package func page(svg: String, details: [String: String]) -> String {
        // The lines before the picture are about XML.
        let picture = svg.part(after: "<svg").map { "<svg" + $0 } ?? svg
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy"
              content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
            <title>Modules</title>
            <style>
            \(Self.pageStyle)
            </style>
            </head>
            <body>
            <header>
            <input id="search" type="search" placeholder="Search ( / )" aria-label="Search" autocomplete="off">
            <output id="count"></output>
            <button id="fit" title="Show all ( 0 )">Show all</button>
            <button id="theme" title="Dark or light ( d )">Dark or light</button>
            </header>
            <main>\(picture)</main>
            <aside id="details" hidden aria-live="polite">
            <button id="close" title="Close ( Escape )">×</button>
            <h1></h1><dl></dl><pre></pre>
            </aside>
            <script id="data" type="application/json">\(pageData(details))</script>
            <script>
            \(Self.pageScript)
            </script>
            </body>
            </html>

            """
    }

    /// The data that the script reads. No text in it ends the element that it stands in.
    private func pageData(_ details: [String: String]) -> String {
        let nodes = nodes.map { node -> JSON.Member in
            let text =
                node.id.kind == .module || node.id.kind == .interface ? details[node.id.key] : nil
            return JSON.Member(
                name: node.id.text,
                value: [
                    "name": .string(node.name), "kind": .string(node.id.kind.rawValue),
                    "remark": .text(node.remark),
                    "details": .text(text),
                ]
            )
        }
        let edges = edges.map { edge -> JSON in
            [
                "from": .string(edge.from.text), "to": .string(edge.to.text),
                "label": .string(edge.label),
            ]
        }
        let json: JSON = ["nodes": .object(nodes), "edges": .array(edges)]
        return json.text(pretty: false).split(separator: "<", omittingEmptySubsequences: false)
            .joined(separator: "\\u003c")
    }

    private static let pageStyle = """
        :root { color-scheme: light dark; --text: light-dark(#1c2530, #e3e9ef);
          --quiet: light-dark(#52606e, #9fb0c0); --page: light-dark(#fff, #12181f);
          --box: light-dark(#fff, #1d2731); --group: light-dark(#f4f6f8, #171f27);
          --line: light-dark(#667788, #7f93a6); --strong: light-dark(#0b57d0, #8ab4f8);
          --alarm: light-dark(#b3261e, #f2b8b5); --off: light-dark(#ececec, #2a2f35);
          --absent: light-dark(#fff1cc, #4a3c10); --broken: light-dark(#fde2e1, #55201d); }
        * { box-sizing: border-box; }
        body { margin: 0; height: 100vh; display: grid; grid-template: auto 1fr / 1fr auto;
          font: 15px/1.4 system-ui, sans-serif; color: var(--text); background: var(--page); }
        header { grid-column: 1 / 3; display: flex; gap: .5rem; align-items: center; padding: .5rem;
          border-bottom: 1px solid var(--line); }
        input, button { font: inherit; color: inherit; background: var(--box);
          border: 1px solid var(--line); border-radius: 4px; padding: .25rem .6rem; }
        #search { width: 16rem; }
        #count { color: var(--quiet); flex: 1; }
        main { overflow: hidden; touch-action: none; cursor: grab; }
        main svg { display: block; width: 100%; height: 100%; }
        aside { width: min(34rem, 45vw); overflow: auto; padding: 1rem; border-left: 1px solid var(--line); }
        aside[hidden] { display: none; }
        aside h1 { font-size: 1.2rem; margin: 0 0 .5rem; }
        aside pre { white-space: pre-wrap; font-size: 13px; }
        aside dt { color: var(--quiet); } aside dd { margin: 0 0 .5rem; }
        aside a { color: var(--strong); cursor: pointer; text-decoration: underline; }
        #close { float: right; }
        svg > g > polygon { fill: transparent; stroke: none; }
        .cluster path, .cluster polygon { fill: var(--group); stroke: none; }
        .cluster text { fill: var(--quiet); }
        .node { cursor: pointer; outline: none; }
        .node path, .node polygon, .node ellipse { fill: var(--box); stroke: var(--line); }
        .node polyline { stroke: var(--line); }
        .node.disabled :is(path, polygon, ellipse) { fill: var(--off); }
        .node.missing :is(path, polygon, ellipse) { fill: var(--absent); }
        .node.broken :is(path, polygon, ellipse) { fill: var(--broken); }
        .node text { fill: var(--text); }
        .edge path { stroke: var(--line); fill: none; }
        .edge polygon, .edge ellipse { stroke: var(--line); fill: var(--line); }
        .edge text { fill: var(--quiet); }
        .edge.wrong :is(path, polygon, ellipse) { stroke: var(--alarm); }
        .edge.wrong :is(polygon, ellipse) { fill: var(--alarm); }
        .edge.near :is(path, polygon, ellipse) { stroke: var(--strong); }
        .edge.near :is(polygon, ellipse) { fill: var(--strong); }
        .edge.near text { fill: var(--strong); }
        .node:focus-visible :is(path, polygon, ellipse), .node.selected :is(path, polygon, ellipse) {
          stroke: var(--strong); stroke-width: 3; }
        svg.choosing :is(.node, .edge):not(.near, .selected) { opacity: .25; }
        """

    private static let pageScript = """
        "use strict";
        const data = JSON.parse(document.getElementById("data").textContent);
        const $ = id => document.getElementById(id);
        const svg = document.querySelector("main svg");
        const whole = svg.viewBox.baseVal;
        const all = { x: whole.x, y: whole.y, width: whole.width, height: whole.height };
        let view = { ...all };
        svg.removeAttribute("width");
        svg.removeAttribute("height");

        const title = element => element.querySelector("title").textContent;
        const nodes = new Map([...svg.querySelectorAll(".node")].map(node => [title(node), node]));
        const edges = new Map([...svg.querySelectorAll(".edge")].map(edge => [edge.id, edge]));
        data.edges.forEach((edge, index) => edge.element = edges.get("edge" + (index + 1)));

        function show(next) {
          view = next;
          svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
        }
        function zoom(factor, x = view.x + view.width / 2, y = view.y + view.height / 2) {
          const width = Math.min(Math.max(view.width * factor, all.width / 40), all.width * 4);
          factor = width / view.width;
          show({ x: x - (x - view.x) * factor, y: y - (y - view.y) * factor, width,
                 height: view.height * factor });
        }
        function move(x, y) {
          show({ ...view, x: view.x + x * view.width, y: view.y + y * view.height });
        }
        function point(event) {
          return new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
        }
        function centre(node) {
          const box = node.getBBox(), to = node.parentNode.getCTM(), from = svg.getCTM().inverse();
          const middle = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2)
            .matrixTransform(to).matrixTransform(from);
          show({ ...view, x: middle.x - view.width / 2, y: middle.y - view.height / 2 });
        }

        function mark(selected, near) {
          svg.classList.toggle("choosing", near.size > 0);
          for (const [id, node] of nodes) {
            node.classList.toggle("selected", id === selected);
            node.classList.toggle("near", near.has(id));
          }
          for (const edge of data.edges)
            edge.element?.classList.toggle("near", edge.from === selected || edge.to === selected);
        }
        function entry(list, term, edges, end) {
          if (edges.length === 0) return;
          const name = document.createElement("dt");
          name.textContent = term;
          list.append(name);
          for (const edge of edges) {
            const line = document.createElement("dd"), link = document.createElement("a");
            link.textContent = data.nodes[edge[end]]?.name ?? edge[end];
            link.onclick = () => select(edge[end], true);
            line.append(link, " — " + edge.label);
            list.append(line);
          }
        }
        function select(id, centring = false) {
          const node = data.nodes[id];
          if (!node) return;
          const out = data.edges.filter(edge => edge.from === id);
          const into = data.edges.filter(edge => edge.to === id);
          mark(id, new Set([id, ...out.map(edge => edge.to), ...into.map(edge => edge.from)]));
          const panel = $("details");
          panel.querySelector("h1").textContent =
            `${node.kind} ${node.name}` + (node.remark ? ` (${node.remark})` : "");
          const list = panel.querySelector("dl");
          list.replaceChildren();
          entry(list, "to", out, "to");
          entry(list, "from", into, "from");
          panel.querySelector("pre").textContent = node.details ?? "";
          panel.hidden = false;
          if (centring) { nodes.get(id).focus({ preventScroll: true }); centre(nodes.get(id)); }
        }
        function clear() {
          $("search").value = "";
          $("count").textContent = "";
          $("details").hidden = true;
          mark(null, new Set());
        }
        function found() {
          const word = $("search").value.trim().toLowerCase();
          return word === "" ? [] : [...nodes.keys()].filter(id =>
            (data.nodes[id]?.name ?? id).toLowerCase().includes(word));
        }
        function search() {
          const ids = found();
          $("details").hidden = true;
          $("count").textContent = $("search").value.trim() === "" ? "" : `${ids.length} found`;
          mark(null, new Set(ids));
        }
        function changeTheme() {
          const dark = matchMedia("(prefers-color-scheme: dark)").matches;
          const now = document.documentElement.style.colorScheme || (dark ? "dark" : "light");
          document.documentElement.style.colorScheme = now === "dark" ? "light" : "dark";
        }

        for (const [id, node] of nodes) {
          node.tabIndex = 0;
          node.setAttribute("role", "button");
          node.setAttribute("aria-label", id);
        }
        let held = null, hasMoved = false;
        svg.addEventListener("pointerdown", event => {
          held = { x: event.clientX, y: event.clientY, view };
          hasMoved = false;
        });
        addEventListener("pointermove", event => {
          if (!held) return;
          const scale = svg.getScreenCTM().a;
          const x = (event.clientX - held.x) / scale, y = (event.clientY - held.y) / scale;
          if (Math.hypot(event.clientX - held.x, event.clientY - held.y) > 4) hasMoved = true;
          if (hasMoved) show({ ...held.view, x: held.view.x - x, y: held.view.y - y });
        });
        addEventListener("pointerup", () => held = null);
        svg.addEventListener("click", event => {
          const node = event.target.closest(".node");
          if (hasMoved) return;
          if (node) select(title(node)); else clear();
        });
        svg.addEventListener("wheel", event => {
          event.preventDefault();
          const at = point(event);
          zoom(Math.exp(event.deltaY / 500), at.x, at.y);
        }, { passive: false });
        $("search").addEventListener("input", search);
        $("fit").onclick = () => show({ ...all });
        $("theme").onclick = changeTheme;
        $("close").onclick = clear;
        const keys = {
          "0": () => show({ ...all }), "+": () => zoom(.8), "=": () => zoom(.8), "-": () => zoom(1.25),
          "ArrowLeft": () => move(-.1, 0), "ArrowRight": () => move(.1, 0),
          "ArrowUp": () => move(0, -.1), "ArrowDown": () => move(0, .1),
          "/": () => $("search").focus(), "d": changeTheme,
        };
        addEventListener("keydown", event => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          if (event.key === "Escape") { clear(); document.activeElement.blur(); return; }
          if (event.target === $("search")) {
            const first = found()[0];
            if (event.key === "Enter" && first) select(first, true);
            return;
          }
          const node = event.target.closest?.(".node");
          if (node && (event.key === "Enter" || event.key === " ")) {
            event.preventDefault();
            return select(title(node));
          }
          if (!keys[event.key]) return;
          event.preventDefault();
          keys[event.key]();
        });
        """
}
