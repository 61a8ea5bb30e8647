import FHIR
import FHIRValidation
import FormOperations
import Foundation
import Synchronization
import TestSupport
import Testing

/// Published files, and short ways to write forms and responses.
enum Samples {
    static let folder = PublishedData.url("sdc")

    static func resource(_ path: String) throws -> JSONObject {
        let url = try #require(folder).appendingPathComponent(path)
        return try #require(try JSON(try Data(contentsOf: url)).object)
    }

    static func json(_ text: String) throws -> JSON { try JSON(Array(text.utf8)) }

    static func form(_ text: String) throws -> Questionnaire {
        var object = try #require(try json(text).object)
        object["resourceType"] = "Questionnaire"
        if object["status"] == nil { object["status"] = "active" }
        if object["url"] == nil { object["url"] = "http://example.org/form" }
        return Questionnaire(object)
    }

    static func response(_ text: String) throws -> QuestionnaireResponse {
        var object = try #require(try json(text).object)
        object["resourceType"] = "QuestionnaireResponse"
        if object["status"] == nil { object["status"] = "completed" }
        return QuestionnaireResponse(object)
    }

    static let now: DateTime = "2026-11-28T10:00:00+01:00"

    /// Returns UUIDs that count from 1.
    static func counter() -> () -> UUID {
        var count: UInt64 = 0
        return {
            count += 1
            return UUID((0x4000, 0x8000_0000_0000_0000 | count))
        }
    }

    /// Extracts, and checks that the Bundle is valid R4.
    static func extract(
        _ form: Questionnaire, _ response: QuestionnaireResponse, isValid: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation,
        definition: @escaping @Sendable (CanonicalURL) -> StructureDefinition? = { _ in nil }
    ) -> (bundle: FHIR.Bundle, problems: [OperationProblem]) {
        let extraction = FormExtraction(form, definition: definition)
        let result = extraction.extracted(from: response, now: now, makeUUID: counter())
        if isValid {
            let errors = FHIRValidator().validate(result.bundle.json).errors
            #expect(
                errors.isEmpty, "\(errors.map { "\($0.expression): \($0.message)" })", sourceLocation: sourceLocation)
        }
        return result
    }

    static func resources(_ bundle: FHIR.Bundle) -> [JSON] {
        (bundle.object["entry"]?.array ?? []).compactMap { $0["resource"] }
    }

    static let sdc = "http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire-"
}

/// A value whose objects and numbers are equal without regard to order and digits.
func comparable(_ json: JSON?) -> String {
    switch json {
    case .object(let object):
        "{"
            + object.members.sorted { $0.key < $1.key }.map { "\($0.key):\(comparable($0.value))" }
            .joined(separator: ",") + "}"
    case .array(let elements): "[" + elements.map { comparable($0) }.joined(separator: ",") + "]"
    case .number(let number): "\(number.double)"
    case .string(let text): "\"\(text)\""
    case .bool(let value): "\(value)"
    case .null, nil: "null"
    }
}
