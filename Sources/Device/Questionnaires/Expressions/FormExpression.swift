import FHIR
import FHIRPath

/// An expression of a form, compiled (<https://hl7.org/fhir/R4/metadatatypes.html#Expression>).
struct FormExpression: Sendable {
    /// The compiled text.
    enum Body: Sendable {
        case path(ExpressionInputs)
        /// A query with expressions in braces.
        case query(QueryTemplate)
        /// A language that is not evaluated, such as CQL.
        case unsupported(language: String)
        case invalid(FHIRPathError)
    }

    /// The name of the variable that has the result; nil if it has none.
    let name: String?
    /// The text.
    let text: String
    let body: Body

    /// Maximum length of an expression in bytes.
    static let maximumLength = 20_000

    /// - Parameters:
    ///   - text: FHIRPath, or a query if the language says so.
    ///   - language: `text/fhirpath`, `application/x-fhir-query` or another code; nil for FHIRPath.
    init(_ text: String, language: String? = nil, name: String? = nil) {
        self.name = name
        self.text = text
        switch language ?? "text/fhirpath" {
        case "text/fhirpath":
            do throws(FHIRPathError) {
                body = .path(ExpressionInputs(try Self.compiled(text)))
            } catch {
                body = .invalid(error)
            }
        case "application/x-fhir-query":
            do throws(FHIRPathError) {
                body = .query(try QueryTemplate(text))
            } catch {
                body = .invalid(error)
            }
        case let language: body = .unsupported(language: language)
        }
    }

    /// Nil if the value is no expression: neither an Expression nor a text.
    init?(_ value: (some ChoiceValue)?) {
        guard let json = value?.json else { return nil }
        self.init(json: json)
    }

    /// - Parameter json: an Expression, or FHIRPath as text.
    init?(json: JSON) {
        if let text = json.string {
            self.init(text)
            return
        }
        guard let text = json["expression"]?.string else { return nil }
        self.init(text, language: json["language"]?.string, name: json["name"]?.string)
    }

    static func compiled(_ text: String) throws(FHIRPathError) -> FHIRPathExpression {
        var options = FHIRPathExpression.Options()
        options.maximumLength = maximumLength
        return try FHIRPathExpression(text, options: options)
    }

    /// The inputs of the expression, or of the expressions in its query.
    var inputs: [ExpressionInputs] {
        switch body {
        case .path(let inputs): [inputs]
        case .query(let query): query.parts.compactMap { if case .path(let inputs) = $0 { inputs } else { nil } }
        case .unsupported, .invalid: []
        }
    }
}

/// An x-fhir-query: the text of a search in which FHIRPath in `{{ }}` is replaced by its result
/// (<https://hl7.org/fhir/uv/sdc/expressions.html#x-fhir-query>).
struct QueryTemplate: Sendable {
    enum Part: Sendable {
        case text(String)
        case path(ExpressionInputs)
    }

    let parts: [Part]

    init(_ text: String) throws(FHIRPathError) {
        guard text.utf8.count <= FormExpression.maximumLength else {
            throw FHIRPathError(
                .limit, code: "expression-length",
                message: "The query has more than \(FormExpression.maximumLength) bytes.")
        }
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstRange(of: "{{") {
            parts.append(.text(String(rest[..<open.lowerBound])))
            rest = rest[open.upperBound...]
            guard let close = rest.firstRange(of: "}}") else {
                throw FHIRPathError(
                    .syntax, code: "query-braces", message: "An expression of the query has no closing braces.")
            }
            parts.append(.path(ExpressionInputs(try FormExpression.compiled(String(rest[..<close.lowerBound])))))
            rest = rest[close.upperBound...]
        }
        parts.append(.text(String(rest)))
        self.parts = parts
    }
}
