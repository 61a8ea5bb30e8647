import JSONQuery
import Testing

/// The result of an expression as text: JSON, or the error's code.
enum Asked {
    static func jmesPath(_ expression: String, _ document: String = "null", limits: QueryLimits = QueryLimits())
        -> String
    {
        do throws(JMESPathError) {
            return try JMESPath(expression, limits: limits).evaluate(on: json(document)).text()
        } catch {
            return error.code
        }
    }

    static func jsonPath(_ path: String, _ document: String, limits: QueryLimits = QueryLimits()) -> String {
        do throws(JSONPathError) {
            return JSON.array(try JSONPath(path, limits: limits).evaluate(on: json(document))).text()
        } catch {
            return error.code
        }
    }

    static func json(_ text: String) -> JSON { JSON(reading: text.utf8) ?? "this is no JSON" }
}
