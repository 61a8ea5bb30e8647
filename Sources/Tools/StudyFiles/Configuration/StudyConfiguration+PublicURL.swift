import Identity

extension StudyConfiguration {
    /// Parses the public URL of the server: https, or plain HTTP on the machine itself or in a development study. A
    /// path may follow, and a slash at the end is removed.
    ///
    /// - Throws: ``ServerError`` `public-url-invalid`.
    package static func publicURL(_ text: String, development: Bool) throws -> String {
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
