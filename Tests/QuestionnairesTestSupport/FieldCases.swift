import FHIR
import Foundation
import Questionnaires
import TestSupport
import Testing

/// Forms and responses found in the field (`conformance/field/phone`).
public enum FieldCases {
    public static let folder = PublishedData.url("field/phone")

    /// Returns a resource of a case, by the number of the case and the name of the file without `.json`.
    public static func resource(_ number: Int, _ name: String) throws -> Resource {
        let folder = try #require(folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let found = try #require(names.first { $0.hasPrefix("\(number)-") })
        return try Resource(Data(contentsOf: folder.appendingPathComponent("\(found)/\(name).json")))
    }

    public static func form(_ number: Int, _ name: String) throws -> QuestionnaireForm {
        QuestionnaireForm(try #require(try resource(number, name).as(Questionnaire.self)))
    }

    /// Returns the problems of a response.
    public static func problems(_ number: Int, form: String, response: String) throws -> [ResponseProblem] {
        let response = try #require(try resource(number, response).as(QuestionnaireResponse.self))
        return ResponseValidator(try self.form(number, form)).problems(in: response)
    }
}
