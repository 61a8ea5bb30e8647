import FHIR
import FHIRVersions
import Foundation
import Questionnaires
import StudyFiles

/// A form in a file of any supported release of FHIR, as the server reads it.
enum FormFile {
    /// Reads a form. Value sets that it refers to and does not contain are read from the file's folder, as the server
    /// reads those of a study.
    ///
    /// - Parameters:
    ///   - resource: the content of the file.
    ///   - path: the file, whose name may contain the release (`sleep.stu3.json`); `-` if there is none.
    static func form(_ resource: Resource, path: String) throws -> QuestionnaireForm {
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
        guard path != "-", namesValueSets(questionnaire.item) else { return QuestionnaireForm(questionnaire) }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        return QuestionnaireForm(
            questionnaire, valueSet: PublishedValueSets(StudyFolder.valueSets(in: folder)).valueSet)
    }

    /// Whether an item refers to a value set that is not contained in the form.
    private static func namesValueSets(_ items: [Questionnaire.Item]) -> Bool {
        items.contains { $0.answerValueSet.map { !$0.hasPrefix("#") } ?? false || namesValueSets($0.item) }
    }
}
