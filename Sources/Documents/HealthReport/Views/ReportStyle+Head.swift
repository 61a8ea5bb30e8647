extension ReportStyle {
    /// The content of a page's `head`: it may load and run nothing, and is found by nobody's search.
    static func writeHead(_ title: String, to html: inout HTML) {
        html.line()
        html.void("meta", ["charset": "utf-8"])
        html.line()
        html.void("meta", ["http-equiv": "Content-Security-Policy", "content": policy])
        html.line()
        html.void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
        html.void("meta", ["name": "referrer", "content": "no-referrer"])
        html.void("meta", ["name": "robots", "content": "noindex"])
        html.line()
        html.element("title", title)
        html.line()
        html.element("style") { $0.verbatim(sheet) }
        html.line()
    }
}
