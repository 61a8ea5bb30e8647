import Core
import Crypto
import Foundation
import HTTPTypes
import Hummingbird

/// An HTML page for people, without script. Text from other sources is escaped.
package struct Page: Sendable, Hashable {
    /// The title and the heading.
    package let title: String
    /// HTML below the heading.
    let body: String
    /// The targets of forms in addition to this server, as sources of a Content-Security-Policy.
    let formTargets: [String]

    /// - Parameters:
    ///   - body: HTML below the heading.
    ///   - formTargets: the targets of forms in addition to this server, as sources of a Content-Security-Policy.
    package init(title: String, body: String, formTargets: [String] = []) {
        self.title = title
        self.body = body
        self.formTargets = formTargets
    }

    /// Returns hidden fields of a form.
    package static func hidden(_ fields: [(name: String, value: String)]) -> String {
        fields.map {
            "<input type=\"hidden\" name=\"\(MarkupText.escaped($0.name))\" value=\"\(MarkupText.escaped($0.value))\">"
        }
        .joined(separator: "\n")
    }

    private var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <title>\(MarkupText.escaped(title))</title>
        <style>\(Page.style)</style>
        </head>
        <body>
        <main>
        <h1>\(MarkupText.escaped(title))</h1>
        \(body)
        </main>
        </body>
        </html>

        """
    }

    /// Returns the page as an answer that runs no script and that no other page may frame.
    package func response(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Response {
        var headers = headers
        let targets = (["'self'"] + formTargets).joined(separator: " ")
        headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src '\(Page.styleDigest)'; form-action \(targets); frame-ancestors 'none'; "
            + "base-uri 'none'"
        headers[.frameOptions] = "DENY"
        headers[.contentTypeOptions] = "nosniff"
        headers[.referrerPolicy] = "no-referrer"
        return .bytes(
            ByteBuffer(string: html), mediaType: "text/html; charset=utf-8", status: status, headers: headers)
    }

    private static let style = """
        :root{color-scheme:light dark;--ink:#1c2330;--paper:#fff;--back:#eef1f5;--line:#c6cdd8;--quiet:#55606f;--deed:#0b5cad;\
        --ondeed:#fff;--warn:#8f2d16;--warnback:#fdeee9}
        @media (prefers-color-scheme:dark){:root{--ink:#e9edf3;--paper:#1b212b;--back:#12161d;--line:#414b5a;--quiet:#a9b4c2;\
        --deed:#5aa3ee;--ondeed:#0e141c;--warn:#ffb39f;--warnback:#3a2019}}
        *{box-sizing:border-box}
        body{margin:0;padding:1rem;background:var(--back);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
        main{max-width:38rem;margin:0 auto;padding:1.25rem 1.25rem 1.5rem;background:var(--paper);\
        border:1px solid var(--line);border-radius:.6rem;overflow-wrap:anywhere}
        @media (min-width:40rem){body{padding:3rem 1rem}main{padding:2rem 2.5rem}}
        h1{margin:0 0 1rem;font-size:1.45rem;line-height:1.25}
        h2{margin:1.5rem 0 .25rem;font-size:1.05rem}
        p{margin:.5rem 0}
        .quiet{color:var(--quiet);font-size:.93rem}
        .warn{padding:.6rem .8rem;color:var(--warn);background:var(--warnback);border-radius:.4rem}
        .field{display:block;margin:1rem 0 0;font-weight:600}
        input[type=text],input[type=password]{display:block;width:100%;margin-top:.25rem;padding:.6rem .7rem;font:inherit;\
        font-weight:400;\
        color:inherit;background:var(--paper);border:1px solid var(--quiet);border-radius:.4rem}
        ul{list-style:none;margin:.25rem 0 0;padding:0}
        li{border-top:1px solid var(--line)}
        li label{display:grid;grid-template-columns:1.5rem 1fr;gap:.1rem .6rem;padding:.65rem 0;cursor:pointer}
        li input{width:1.2rem;height:1.2rem;margin:.15rem 0 0;grid-row:span 2}
        li .quiet{grid-column:2}
        .entry{padding:.75rem 0}
        .entry p{margin:.15rem 0}
        .entry form{margin-top:.5rem}
        .entry button{padding:.4rem 1.1rem}
        .deeds{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.5rem}
        .deeds+p{margin-top:1rem}
        button{flex:1 1 9rem;padding:.7rem 1rem;font:inherit;font-weight:600;border:1px solid var(--deed);\
        border-radius:.4rem;background:var(--paper);color:inherit;cursor:pointer}
        button.main{background:var(--deed);color:var(--ondeed)}
        button.link{flex:none;padding:0;border:0;background:none;color:inherit;text-decoration:underline;font-weight:400}
        a{color:var(--deed)}
        code,pre{font:.9em/1.5 ui-monospace,monospace}
        pre{margin:.5rem 0;padding:.6rem .8rem;background:var(--back);border-radius:.4rem;white-space:pre-wrap}
        dl{margin:.5rem 0}
        dt{margin-top:.6rem;font-weight:600}
        dd{margin:0}
        :focus-visible{outline:3px solid var(--deed);outline-offset:2px}
        """

    /// The digest with which a browser compares the style (Content Security Policy Level 3 section 2.3.1).
    private static let styleDigest = "sha256-" + Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()
}

extension HTTPField.Name {
    package static let frameOptions = HTTPField.Name(validated: "x-frame-options")
    package static let contentTypeOptions = HTTPField.Name(validated: "x-content-type-options")
    package static let referrerPolicy = HTTPField.Name(validated: "referrer-policy")
}
