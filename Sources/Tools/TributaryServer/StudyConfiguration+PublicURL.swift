import Trust

extension StudyConfiguration {
    /// Reads the address under which others reach the server: https, plain HTTP on the machine itself or in a development
    /// study; a path may follow, and a slash at the end is left out.
    ///
    /// - Throws: ``ServerError`` `public-url-invalid`.
    static func publicURL(_ text: String, development: Bool) throws -> String {
        var text = text
        while text.hasSuffix("/") { text.removeLast() }
        guard let url = RegisteredURL(text), !url.host.isEmpty, !url.target.contains("?"),
            url.scheme == "https" || (url.scheme == "http" && (url.isLoopback || development))
        else {
            throw ServerError(
                code: "public-url-invalid",
                message:
                    "The public URL is https and a host, such as https://study.example, in small letters; without query."
            )
        }
        return text
    }
}
