import Core
import JSONQuery

/// An expression of a template, compiled once.
struct TemplateExpression: Sendable {
    private enum Compiled: Sendable {
        case jsonPath(JSONPath)
        case jmesPath(JMESPath)
    }

    private let compiled: Compiled

    /// - Parameters:
    ///   - value: a text, or `{"value": …, "language": "JsonPath" | "JmesPath"}` if `mayNameLanguage` is true.
    ///   - language: the language of a text.
    init(_ value: TemplateValue, language: Language = .jsonPath, mayNameLanguage: Bool) throws(TemplateError) {
        var (text, language) = (value, language)
        if mayNameLanguage, value.json.object != nil {
            text = try value.required("value")
            if let named = value["language"] { language = try Language(named) }
        }
        try self.init(text.text(), language, at: text.path)
    }

    private init(_ text: String, _ language: Language, at path: String) throws(TemplateError) {
        switch language {
        case .jsonPath:
            do throws(JSONPathError) { compiled = .jsonPath(try JSONPath(text)) } catch {
                throw TemplateError(.expressionInvalid, at: path, reason: "\(error.message) (\(error.code))")
            }
        case .jmesPath:
            do throws(JMESPathError) { compiled = .jmesPath(try JMESPath(text)) } catch {
                throw TemplateError(.expressionInvalid, at: path, reason: "\(error.message) (\(error.code))")
            }
        }
    }

    /// Creates an expression from a constant path in the code.
    init(path: String) throws(TemplateError) { try self.init(path, .jsonPath, at: path) }

    enum Language: Sendable {
        case jsonPath, jmesPath

        init(_ value: TemplateValue) throws(TemplateError) {
            switch try value.text().lowercased() {
            case "jsonpath": self = .jsonPath
            case "jmespath": self = .jmesPath
            default: throw value.error(.kindUnknown, "The language is JsonPath or JmesPath.")
            }
        }
    }

    /// Returns all values that the expression finds. A list of JMESPath gives its elements.
    func all(in document: JSON) throws(MeasurementProblem) -> [JSON] {
        switch compiled {
        case .jsonPath(let path):
            do throws(JSONPathError) { return try path.evaluate(on: document) } catch {
                throw MeasurementProblem(error.code, error.message)
            }
        case .jmesPath:
            let found = try value(in: document)
            return found.map { $0.array ?? [$0] } ?? []
        }
    }

    /// Returns the single value that the expression finds; nil if there is none, or null.
    func value(in document: JSON) throws(MeasurementProblem) -> JSON? {
        switch compiled {
        case .jsonPath:
            let found = try all(in: document)
            guard found.count <= 1 else {
                throw MeasurementProblem("expression-ambiguous", "An expression of the template finds several values.")
            }
            return found.first.flatMap { $0.isNull ? nil : $0 }
        case .jmesPath(let path):
            do throws(JMESPathError) {
                let found = try path.evaluate(on: document)
                return found.isNull ? nil : found
            } catch {
                throw MeasurementProblem(error.code, error.message)
            }
        }
    }

    /// Returns the single value as a text; nil if it is missing, null or blank.
    func text(in document: JSON) throws(MeasurementProblem) -> String? {
        guard let found = try value(in: document) else { return nil }
        let text: String
        switch found {
        case .string(let value): text = value
        case .number(let number): text = number.text
        case .bool(let value): text = value ? "true" : "false"
        case .null: return nil
        case .array, .object:
            throw MeasurementProblem("value-not-simple", "An expression of the template finds an object or a list.")
        }
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }
}
