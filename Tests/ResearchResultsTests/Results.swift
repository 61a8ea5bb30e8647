import Core
import Foundation
import ResearchResults

/// Results for tests, in the JSON of ResearchKit's serializer.
enum Results {
    static let uuid = "FDFCC3EC-01B6-43E7-8200-9B93E2744BB8"

    static func task(_ results: [JSON] = [], uuid: JSON? = .string(uuid)) -> JSON {
        var task: JSON = [
            "_class": "ORKTaskResult", "identifier": "task", "startDate": "2019-05-27T00:35:06-0700",
            "endDate": "2019-05-27T00:36:06-0700", "results": .array(results), "userInfo": [:],
        ]
        task["taskRunUUID"] = uuid
        return task
    }

    static func step(_ results: [JSON], identifier: String = "step") -> JSON {
        ["_class": "ORKStepResult", "identifier": .string(identifier), "results": .array(results)]
    }

    static func text(_ identifier: String, _ answer: String?) -> JSON {
        var result: JSON = ["_class": "ORKTextQuestionResult", "identifier": .string(identifier), "questionType": 8]
        result["textAnswer"] = answer.map { .string($0) }
        return result
    }

    /// The answers of a registration step.
    static func registration(email: String? = "Ann@Example.org", password: String? = "correct horse") -> [JSON] {
        [
            text("ORKRegistrationFormItemEmail", email), text("ORKRegistrationFormItemPassword", password),
            text("ORKRegistrationFormItemConfirmPassword", password), text("ORKRegistrationFormItemGivenName", "Ann"),
            text("ORKRegistrationFormItemFamilyName", "Example"),
            [
                "_class": "ORKChoiceQuestionResult", "identifier": "ORKRegistrationFormItemGender",
                "choiceAnswers": ["female"],
            ],
            [
                "_class": "ORKDateQuestionResult", "identifier": "ORKRegistrationFormItemDOB",
                "dateAnswer": "1980-02-28T23:30:00+0000", "timeZone": 3_600, "calendar": "gregorian",
            ],
        ]
    }

    static func signature(consented: JSON? = true, signature: JSON? = ["givenName": "Ann", "familyName": "Example"])
        -> JSON
    {
        var result: JSON = ["_class": "ORKConsentSignatureResult", "identifier": "participant"]
        result["signature"] = signature
        result["consented"] = consented
        return result
    }

    /// Returns a value in step results, nested to a depth.
    static func nested(_ result: JSON, levels: Int) -> JSON {
        (0..<levels).reduce(result) { inner, level in step([text("other", "x"), inner], identifier: "s\(level)") }
    }
}

/// Returns the code of the error that the body throws; nil if it throws none.
func code(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch { return (error as? any CodedError)?.code ?? "\(error)" }
}
