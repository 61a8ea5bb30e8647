import Hummingbird
import ServerHTTP

extension BodyBudget {
    /// Returns the form in a request's body, with each field once.
    func form(
        of request: Request, isRepeatable: Set<String> = [], upTo limit: Int
    ) async throws -> FormFields {
        let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard type.filter({ $0 != " " }) == "application/x-www-form-urlencoded" else {
            throw OAuthFailure.request("form-invalid", "The body must be application/x-www-form-urlencoded.")
        }
        let body = try await collect(request, upTo: limit)
        guard let form = FormFields(body.bytes) else {
            throw OAuthFailure.request("form-invalid", "The body must be a form in UTF-8.")
        }
        var seen: Set<String> = []
        for field in form.fields where !isRepeatable.contains(field.name) {
            guard seen.insert(field.name).inserted else {
                throw OAuthFailure.request("field-twice", "A field occurs twice in the form.")
            }
        }
        return form
    }
}
