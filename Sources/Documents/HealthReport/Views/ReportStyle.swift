import Crypto
import Foundation
import HealthData

/// The style sheet of the page. It is part of the page, and the page's policy permits only this style sheet, by its
/// hash.
package enum ReportStyle {
    /// The style sheet of the reports.
    package static let sheet: StaticString = """
        :root { color-scheme: light dark; --paper: #ffffff; --ink: #1b1f24; --soft: #545d68; --line:
          #d5dae0; --panel: #f5f7f9; --bar: #0b66c3; --range: #5b96d3; --middle: #0a3f7a; --deep: #1f3f94;
          --core: #4a8be0; --rem: #6a2fb5; --unspecified: #7d8fa3; --awake: #b34d00; --bed: #1b1f24; --warn:
          #8a2b00; --warnback: #fff1e6 }
        @media (prefers-color-scheme: dark) {
          :root { --paper: #10151b; --ink: #e6eaef; --soft: #a3aebb; --line: #36404b; --panel: #19212a;
            --bar: #5aa6f2; --range: #3d6a99; --middle: #d3e7fc; --deep: #4368d0; --core: #8fbfff; --rem: #9d6ff0; --unspecified: #b4c2d0; --awake: #e8852a; --bed: #e6eaef; --warn: #ffc9a3;
            --warnback: #3a2212 }
        }
        * { box-sizing: border-box }
        body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui,
          -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif }
        main, header { max-width: 62rem; margin: 0 auto; padding: 0 1rem }
        header { padding-top: 1.5rem }
        main { padding-bottom: 3rem }
        h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem }
        h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.5rem 0 .25rem; padding-top: 1rem; border-top:
          1px solid var(--line) }
        h3 { font-size: 1rem; margin: 1.25rem 0 .25rem }
        p { margin: .25rem 0 .75rem; max-width: 46rem }
        a { color: var(--bar) }
        .facts { display: grid; grid-template-columns: repeat(4, 1fr); gap: .5rem;
          margin: 1rem 0 }
        .facts div { background: var(--panel); border-radius: .5rem; padding: .5rem .75rem }
        .facts dt { color: var(--soft); font-size: .875rem }
        .facts dd { margin: 0; font-size: 1.125rem; font-weight: 600 }
        .warning { background: var(--warnback); color: var(--warn); border-left: .25rem solid; padding:
          .5rem .75rem; max-width: none }
        nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: .5rem 0 0;
          padding: 0 }
        figure { margin: .75rem 0 1rem }
        figcaption { color: var(--soft); font-size: .875rem; max-width: 46rem; margin-top: .25rem }
        .plot { display: flex; gap: .5rem }
        .scale { display: flex; flex-direction: column; justify-content: space-between; height: 196px; flex:
          none; color: var(--soft); font-size: 12px; line-height: 16px; text-align: right;
          font-variant-numeric: tabular-nums }
        svg { display: block; width: 100%; min-width: 0; overflow: visible }
        svg text { fill: var(--soft); font-size: 12px }
        svg .name { fill: var(--ink); font-size: 14px }
        .grid { stroke: var(--line); stroke-width: 1 }
        .bar { fill: var(--bar) }
        .range { fill: var(--range) }
        .middle { fill: var(--middle) }
        .deep { fill: var(--deep) }
        .core { fill: var(--core) }
        .rem { fill: var(--rem) }
        .unspecified { fill: var(--unspecified) }
        .awake { fill: var(--awake) }
        .bed { fill: var(--bed) }
        .track { fill: var(--panel) }
        .few { fill: var(--bar); fill-opacity: .5 }
        .some { fill: var(--bar); fill-opacity: .65 }
        .many { fill: var(--bar); fill-opacity: .8 }
        .legend { list-style: none; display: flex; flex-wrap: wrap; gap: .125rem 1rem; margin: .25rem 0
          .5rem; padding: 0; font-size: .875rem; color: var(--soft) }
        .legend svg { display: inline-block; width: 12px; height: 12px; margin-right: .375rem }
        details { margin-top: .5rem }
        summary { cursor: pointer; color: var(--bar); padding: .25rem 0 }
        .scroll { max-height: 26rem; overflow: auto; border: 1px solid var(--line); border-radius: .375rem }
        table { border-collapse: collapse; width: 100%; font-size: .875rem; font-variant-numeric:
          tabular-nums }
        caption { text-align: left; padding: .5rem .75rem; color: var(--soft) }
        th, td { padding: .25rem .75rem; border-top: 1px solid var(--line); text-align: right;
          vertical-align: top }
        thead th { background: var(--panel); position: sticky; top: 0 }
        th:first-child, th.words, td.words { text-align: left }
        .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
          white-space: nowrap }
        tbody th { font-weight: 400; overflow-wrap: anywhere }
        th.words { min-width: 8rem }
        .dates, td { white-space: nowrap }
        td.words { white-space: normal; overflow-wrap: anywhere }
        h4 { font-size: .9375rem; margin: 1rem 0 .25rem }
        .document { border-left: .25rem solid var(--line); padding-left: 1rem; margin: .75rem 0 1.5rem }
        .types { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: .5rem 0; padding: 0 }
        .file { color: var(--soft); font-size: .875rem }
        .answers { table-layout: fixed; margin: .25rem 0 1.5rem; border-bottom: 1px solid var(--line) }
        .answers th, .answers td { width: 50% }
        .answers tbody th[scope=colgroup] { font-weight: 600 }
        .answers .level-1 { padding-left: 1.5rem }
        .answers .level-2 { padding-left: 2.25rem }
        .answers .level-3 { padding-left: 3rem }
        .answers .level-4 { padding-left: 3.75rem }
        :focus-visible { outline: 3px solid var(--bar); outline-offset: 2px }
        footer { border-top: 1px solid var(--line); margin-top: 2.5rem; padding-top: .75rem; color:
          var(--soft); font-size: .875rem }
        @media (max-width: 40rem) {
          .wide { display: none }
          .facts { grid-template-columns: repeat(2, 1fr) }
          table { font-size: .8125rem }
          th, td { padding: .25rem .5rem }
          h1 { font-size: 1.5rem }
        }
        @media print {
          :root { color-scheme: light; --paper: #ffffff; --ink: #000000; --soft: #444444; --line: #bbbbbb;
            --panel: #ffffff }
          body { font-size: 11pt }
          nav, summary { display: none }
          figure, .facts { break-inside: avoid }
          h2, h3, section > p { break-after: avoid }
          .scroll { max-height: none; overflow: visible; border: 0 }
          thead th { position: static }
          .bar, .range, .middle, .deep, .core, .rem, .unspecified, .awake, .few, .some, .many {
            print-color-adjust: exact; -webkit-print-color-adjust: exact }
        }
        """

    /// The Content-Security-Policy of the reports.
    static var policy: String { policy(permitting: sheet) }

    /// Returns the Content-Security-Policy: nothing is loaded or executed, and only this style sheet is permitted.
    static func policy(permitting sheet: StaticString) -> String {
        let bytes = UnsafeBufferPointer(start: sheet.utf8Start, count: sheet.utf8CodeUnitCount)
        let hash = Data(SHA256.hash(data: Data(bytes))).base64EncodedString()
        return "default-src 'none'; style-src 'sha256-\(hash)'; base-uri 'none'; form-action 'none'"
    }
}
