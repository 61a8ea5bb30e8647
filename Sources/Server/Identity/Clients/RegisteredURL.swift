import Core

/// A URL that a client registers: a redirect URI or the URL of its keys.
///
/// Parsing is strict and keeps the text unchanged, so that no two parsers disagree about the host: lowercase scheme and
/// host, no user, no fragment, no characters that need escaping.
package struct RegisteredURL: Sendable, Hashable {
    /// Text of the URL, unchanged.
    package let text: String
    package let scheme: String
    /// Host, for IPv6 without brackets; empty for an app's own scheme.
    package let host: String
    /// Explicit port.
    package let port: Int?
    /// Target of an HTTP request (RFC 9112 section 3.2.1): the path, and the query with its question mark.
    package let target: String

    /// Maximum length in bytes.
    package static let longest = 2_048

    /// - Returns: nil for any text that is not such a URL.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard (1...Self.longest).contains(bytes.count), bytes.allSatisfy(Self.isPermitted) else { return nil }
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let scheme = text[..<colon]
        guard let first = scheme.utf8.first, (0x61...0x7A).contains(first), scheme.utf8.allSatisfy(Self.isOfScheme)
        else { return nil }
        var rest = text[text.index(after: colon)...]
        var host = ""
        var port: Int?
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let authority = rest.prefix { $0 != "/" && $0 != "?" }
            rest = rest.dropFirst(authority.count)
            guard let read = Self.authority(authority) else { return nil }
            (host, port) = read
        }
        self.text = text
        self.scheme = String(scheme)
        self.host = host
        self.port = port
        target = rest.hasPrefix("/") ? String(rest) : "/" + rest
    }

    /// Whether the host is the same machine.
    package var isLoopback: Bool { LoopbackHost.matches(host) }

    /// Whether the URL may be a redirect URI (RFC 8252 section 7): with TLS, to an app on the same machine, or with an
    /// app's own scheme, which has the form of a domain name (RFC 8252 section 7.1) and is not a scheme that browsers
    /// run or open themselves.
    package var isRedirection: Bool {
        switch scheme {
        case "https": !host.isEmpty
        case "http": isLoopback
        default: Self.isDomainName(scheme) && Self.browserSchemes.isDisjoint(with: Self.labels(scheme).prefix(1))
        }
    }

    /// Schemes that a browser runs or opens itself. They are also excluded as the first label of an app's scheme,
    /// because some parsers end the scheme at the dot.
    private static let browserSchemes: Set<String> = [
        "about", "blob", "chrome", "data", "file", "filesystem", "ftp", "http", "https", "intent", "jar", "javascript",
        "jscript", "livescript", "mailto", "mhtml", "mocha", "ms-its", "resource", "sms", "tel", "vbscript", "vbs",
        "view-source",
        "ws", "wss",
    ]

    private static func labels(_ name: String) -> [String] {
        name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// Whether a text has the form of a domain name in lowercase (RFC 1123 section 2.1): at least two labels, none of
    /// which begins or ends with a hyphen.
    private static func isDomainName(_ text: String) -> Bool {
        let labels = labels(text)
        return labels.count >= 2 && text.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy {
                        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
                    }
            }
    }

    /// Whether keys may be fetched from the URL: with TLS at port 443, or from the same machine if that is allowed.
    ///
    /// - Parameter allowingLoopback: whether the study is a development study.
    package func isKeySet(allowingLoopback: Bool) -> Bool {
        if allowingLoopback, isLoopback { return scheme == "http" || scheme == "https" }
        // A certificate for an IP address does not identify its owner.
        let isName = host.contains(".") && !host.contains(":") && host.utf8.contains { (0x61...0x7A).contains($0) }
        return scheme == "https" && isName && port ?? 443 == 443
    }

    /// Scheme, host and port in the form of a browser's `Origin` header (RFC 6454); nil without a host.
    package var origin: String? {
        guard !host.isEmpty else { return nil }
        let name = host.contains(":") ? "[\(host)]" : host
        let standard = scheme == "https" ? 443 : scheme == "http" ? 80 : nil
        return "\(scheme)://\(name)" + (port.flatMap { $0 == standard ? nil : ":\($0)" } ?? "")
    }

    private static func authority(_ text: Substring) -> (host: String, port: Int?)? {
        var host = text
        var port: Int?
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard host.utf8.allSatisfy({ Self.isHexadecimal($0) || $0 == UInt8(ascii: ":") }), host.contains(":"),
                rest.isEmpty || rest.first == ":"
            else { return nil }
            if !rest.isEmpty { port = Int(rest.dropFirst()) }
            guard rest.isEmpty || isPort(rest.dropFirst()) else { return nil }
        } else {
            if let colon = text.firstIndex(of: ":") {
                host = text[..<colon]
                let digits = text[text.index(after: colon)...]
                guard isPort(digits) else { return nil }
                port = Int(digits)
            }
            guard (1...253).contains(host.utf8.count), host.utf8.allSatisfy(isOfHost), host.last != ".",
                host.first != "."
            else { return nil }
        }
        return (String(host), port)
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.utf8.count <= 5 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
            && (1...65_535).contains(Int(text) ?? 0)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }

    private static func isOfScheme(_ byte: UInt8) -> Bool { isOfHost(byte) || byte == UInt8(ascii: "+") }

    /// Printable ASCII of a URI (RFC 3986 section 2), without `#`; the parser of the host checks the brackets.
    private static func isPermitted(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"#<>\\^`{|}".utf8.contains(byte)
    }
}
