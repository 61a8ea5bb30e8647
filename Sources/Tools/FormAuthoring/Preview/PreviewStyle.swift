/// The style sheet of the preview.
enum PreviewStyle {
    static let sheet: StaticString = """
        :root { color-scheme: light dark; --paper: #ffffff; --ink: #1b1f24; --soft: #545d68; --line: #d5dae0;
          --panel: #f5f7f9; --link: #0b66c3; --mark: #8a2b00 }
        @media (prefers-color-scheme: dark) {
          :root { --paper: #10151b; --ink: #e6eaef; --soft: #a3aebb; --line: #36404b; --panel: #19212a;
            --link: #5aa6f2; --mark: #ffc9a3 }
        }
        * { box-sizing: border-box }
        body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, -apple-system,
          "Segoe UI", Roboto, "Helvetica Neue", sans-serif; overflow-wrap: anywhere }
        main, header { max-width: 46rem; margin: 0 auto; padding: 0 1rem }
        header { padding-top: 1.5rem }
        main { padding-bottom: 3rem }
        h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem }
        h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.5rem 0 .5rem; padding-top: 1rem;
          border-top: 1px solid var(--line) }
        .after { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line) }
        h3 { font-size: 1.0625rem; margin: 1.5rem 0 .25rem }
        h4 { font-size: 1rem; margin: 0 0 .25rem }
        p { margin: .25rem 0 }
        a { color: var(--link) }
        .facts { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0 }
        .facts div { background: var(--panel); border-radius: .5rem; padding: .5rem .75rem; min-width: 7rem }
        .facts dt, .quiet, .note, .id { color: var(--soft); font-size: .875rem }
        .facts dd { margin: 0; font-weight: 600 }
        nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: .5rem 0 0; padding: 0 }
        .entry { margin: .75rem 0 }
        .question { border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem }
        .mark { color: var(--mark); font-size: .875rem; font-weight: 400; white-space: nowrap }
        .condition { border-left: .25rem solid var(--link); background: var(--panel); padding: .25rem .75rem;
          margin: .25rem 0 .5rem; font-size: .875rem }
        .condition ul { margin: .25rem 0; padding-left: 1.25rem }
        .options { margin: .25rem 0; padding-left: 1.25rem }
        .id { font-family: ui-monospace, monospace; font-size: .75rem; text-align: right }
        .level-1 { margin-left: 1rem }
        .level-2 { margin-left: 2rem }
        .level-3 { margin-left: 3rem }
        .level-4 { margin-left: 4rem }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
        @media (max-width: 40rem) {
          h1 { font-size: 1.5rem }
          .level-1 { margin-left: .5rem }
          .level-2 { margin-left: 1rem }
          .level-3 { margin-left: 1.5rem }
          .level-4 { margin-left: 2rem }
        }
        @media print {
          :root { color-scheme: light; --paper: #ffffff; --ink: #000000; --soft: #444444; --line: #bbbbbb;
            --panel: #ffffff }
          body { font-size: 11pt }
          nav { display: none }
          .question { break-inside: avoid }
        }
        """
}
