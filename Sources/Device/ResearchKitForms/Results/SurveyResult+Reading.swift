import FHIR
import ResearchResults

extension SurveyResult {
    /// Reads the JSON of a result.
    ///
    /// - Throws: ``SurveyResultError`` with the location, for a text that is not JSON, is too large or too deep, or has a
    ///   known member of a wrong type.
    public init(_ bytes: some Collection<UInt8>) throws(SurveyResultError) {
        guard bytes.count <= Self.maximumBytes else {
            throw SurveyResultError(reason: .tooLarge, location: "\(bytes.count) bytes")
        }
        let json: JSON
        do throws(JSONError) {
            json = try JSON(bytes)
        } catch {
            throw SurveyResultError(reason: .notJSON, location: "line \(error.line), column \(error.column)")
        }
        try self.init(json: json)
    }

    /// Reads a result from JSON that is parsed already.
    ///
    /// - Throws: the same errors as ``init(_:)``.
    public init(json: JSON) throws(SurveyResultError) {
        var count = 0
        self.init(checked: try Self.checked(json, at: "$", depth: 0, &count))
    }

    private static func checked(
        _ json: JSON, at location: String, depth: Int, _ count: inout Int
    ) throws(SurveyResultError) -> JSONObject {
        guard depth < maximumDepth else { throw SurveyResultError(reason: .tooDeep, location: location) }
        count += 1
        guard count <= maximumResults else { throw SurveyResultError(reason: .tooMany, location: location) }
        guard let object = json.object, object["_class"]?.string != nil else {
            throw SurveyResultError(reason: .notAResult, location: location)
        }
        let className = object["_class"]?.string ?? ""
        for member in object.members where !member.value.isNull {
            guard Self.fits(member, of: className) else {
                throw SurveyResultError(reason: .malformed, location: "\(location).\(member.key)")
            }
        }
        if isCollection(className) {
            for (index, element) in (object["results"]?.array ?? []).enumerated() {
                _ = try checked(element, at: "\(location).results[\(index)]", depth: depth + 1, &count)
            }
        }
        return object
    }

    private static func isCollection(_ className: String) -> Bool {
        ["ORKCollectionResult", "ORKTaskResult", "ORKStepResult", "ORKPageResult"].contains(className)
    }

    /// Whether a member that is read has a value of its type. The members of unknown classes are their own.
    private static func fits(_ member: JSONObject.Member, of className: String) -> Bool {
        let value = member.value
        switch member.key {
        case "identifier": return value.string != nil
        case "startDate", "endDate": return value.string.flatMap(ResultTime.dateTime) != nil
        case "results": return !isCollection(className) || value.array != nil
        default: break
        }
        guard className.hasPrefix("ORK") else { return true }
        switch member.key {
        case "booleanAnswer": return value.number != nil || value.bool != nil
        case "numericAnswer", "scaleAnswer", "intervalAnswer": return value.number != nil
        case "choiceAnswers": return value.array != nil
        case "textAnswer": return value.string != nil
        case "dateAnswer": return value.string.flatMap(ResultTime.dateTime) != nil
        case "dateComponentsAnswer": return value.string.flatMap(ResultTime.timeOfDay) != nil
        case "fileURL", "contentType", "fileName", "unit": return value.string != nil
        default: return true
        }
    }
}
