import Core
import FHIRHTTP
import Hummingbird
import ServerHTTP

/// The page for a person who opens the server's address in a browser. It explains the server's purpose, and how to get
/// a token.
struct HomePage: Sendable {
    /// The study's title, where it is known.
    let title: String?
    /// The version of the program, where it is known.
    let version: String?
    /// The URL at which clients reach the server, without a final slash.
    let base: String
    /// Whether the server authorizes apps by SMART on FHIR.
    let hasAuthorization: Bool

    var page: Page {
        let server = title.map { "the study <strong>\(MarkupText.escaped($0))</strong>" } ?? "a study"
        let documents =
            [
                ("/fhir/metadata?_format=json", "Capabilities", "the CapabilityStatement of this FHIR server"),
                ("/openapi.json", "OpenAPI", "the same for tools that support OpenAPI 3.1"),
            ]
            + (hasAuthorization
                ? [("/fhir/.well-known/smart-configuration", "SMART configuration", "for apps that people sign in to")]
                : [])
        let links = documents.map { path, name, purpose in
            let address = MarkupText.escaped(base + path)
            return "<dt><a href=\"\(address)\">\(name)</a></dt>\n<dd>\(purpose)<br><code>\(address)</code></dd>\n"
        }
        let apps =
            hasAuthorization
            ? """
            <p>An app or the server of a hospital is registered with <code>tributary client create</code>. It gets its tokens by \
            SMART on FHIR.</p>

            """ : ""
        let software = "Tributary" + (version.map { " " + MarkupText.escaped($0) } ?? "")
        return Page(
            title: "A FHIR server",
            body: """
                <p>This server holds the health records of \(server). Programs read and write them here as FHIR R4. There is nothing \
                for people to do on this page: a participant uses the app of the study.</p>
                <h2>For programs</h2>
                <dl>
                \(links.joined())</dl>
                <h2>Access</h2>
                <p>Each request for records needs a bearer token. The study team makes one on the server, in the folder that holds \
                the study:</p>
                <pre>tributary token create STUDY \\
                  --role staff</pre>
                <p>The token is printed once. A program sends it with each request:</p>
                <pre>curl -H "Authorization: Bearer $TOKEN" \\
                  \(MarkupText.escaped(base))/fhir/Patient</pre>
                \(apps)<p class="quiet">\(software), FHIR R4 (4.0.1)</p>
                """)
    }
}

extension HomePage {
    /// The page as a response.
    var response: Response {
        var response = page.response()
        response.headers[.vary] = "Accept"
        return response
    }

    /// Whether a request for `/` or `/fhir` is from a browser: `text/html` is accepted and no format of FHIR has a higher
    /// weight. All other requests for these addresses are for the FHIR API.
    static func isRequested(by request: Request) -> Bool {
        guard request.method == .get || request.method == .head, (request.uri.query ?? "").isEmpty,
            ["/", "/fhir", "/fhir/"].contains(request.uri.path)
        else { return false }
        let accepted = AcceptedValue.all(of: request.headers[values: .accept])
        let html =
            accepted.filter { $0.name == "text/html" || $0.name == "application/xhtml+xml" }.map(\.weight).max() ?? 0
        let fhir = accepted.filter { FHIRFormat(name: $0.name) != nil }.map(\.weight).max() ?? 0
        return html > 0 && html >= fhir
    }
}
