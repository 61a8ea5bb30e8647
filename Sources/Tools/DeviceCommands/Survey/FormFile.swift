import FHIR
import FHIRVersions
import Foundation
import Questionnaires
import StudyFiles

/// A form in a file of any supported release of FHIR, as the server reads it.
enum FormFile {
    /// Reads a form.
    ///
    /// - Parameters:
    ///   - resource: the content of the file.
    ///   - path: the file, whose name may contain the release (`sleep.stu3.json`); `-` if there is none.
    ///   - language: the language of its texts; nil for its own.
    ///   - terminology: the value sets and code systems; by default the value sets in the file's folder, as the server
    ///     reads those of a study.
    static func form(
        _ resource: Resource, path: String, language: String? = nil, terminology: FormTerminology? = nil
    ) throws -> QuestionnaireForm {
        guard resource.resourceType == Questionnaire.resourceType else {
            throw CommandError("not-a-questionnaire", "\(path) contains no Questionnaire.")
        }
        if let release = NewerRelease(of: resource) {
            throw CommandError("release-unsupported", "\(path): \(release.message)")
        }
        let file = PublishedFile(file: URL(fileURLWithPath: path), data: Data(), resource: resource)
        guard let questionnaire = file.questionnaire else {
            throw CommandError(
                "conversion-failed", "\(path) is written in FHIR \(file.release.number) and cannot be made R4.")
        }
        if file.release != .r4 {
            CommandOutput.note("\(path) is written in FHIR \(file.release.number); it is read as R4.")
        }
        guard terminology != nil || namesValueSets(questionnaire.item) else {
            return QuestionnaireForm(questionnaire, language: language)
        }
        let terminology = terminology ?? FormTerminology(of: path)
        return QuestionnaireForm(
            questionnaire, language: language, valueSet: terminology.valueSet, codeSystem: terminology.codeSystem)
    }

    /// Whether an item refers to a value set that is not contained in the form.
    private static func namesValueSets(_ items: [Questionnaire.Item]) -> Bool {
        items.contains { $0.answerValueSet.map { !$0.hasPrefix("#") } ?? false || namesValueSets($0.item) }
    }
}
