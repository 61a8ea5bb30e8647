import Hummingbird

extension RouterMethods {
    /// Adds a route for GET and for HEAD. ``HTTPServer`` sends no body in answer to HEAD (RFC 9110 section 9.3.2).
    @discardableResult
    package func getAndHead(
        _ path: RouterPath, use handler: @escaping @Sendable (Request, Context) async throws -> Response
    ) -> Self {
        get(path, use: handler).head(path, use: handler)
    }
}
