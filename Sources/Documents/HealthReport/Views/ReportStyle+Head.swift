extension ReportStyle {
    /// Writes the content of a page's `head`: the page must not load or run anything, and must not be indexed by search
    /// engines.
    ///
    /// - Parameter sheet: the only style sheet that the page's policy permits.
    package static func writeHead(
        _ title: String, sheet: StaticString = ReportStyle.sheet, to html: inout HTML
    ) {
        html.line()
        html.void("meta", attributes: ["charset": "utf-8"])
        html.line()
        html.void("meta", attributes: ["http-equiv": "Content-Security-Policy", "content": policy(permitting: sheet)])
        html.line()
        html.void("meta", attributes: ["name": "viewport", "content": "width=device-width, initial-scale=1"])
        html.void("meta", attributes: ["name": "referrer", "content": "no-referrer"])
        html.void("meta", attributes: ["name": "robots", "content": "noindex"])
        html.line()
        html.element("title", title)
        html.line()
        html.element("style") { $0.verbatim(sheet) }
        html.line()
    }
}
