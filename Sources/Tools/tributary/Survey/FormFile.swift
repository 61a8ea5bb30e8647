import FHIR
import FHIRVersions
import Foundation
import Questionnaires
import TributaryServer

/// A form in a file of any release of FHIR, as the server reads it.
enum FormFile {
    /// Reads a form. Of the value sets that it names and does not contain, those beside the file are read with it, as the server
    /// reads those of a study.
    ///
    /// - Parameters:
    ///   - resource: what the file holds.
    ///   - path: the file, whose name may give the release (`sleep.stu3.json`); `-` where there is none.
    static func form(_ resource: Resource, path: String) throws -> QuestionnaireForm {
        guard resource.resourceType == Questionnaire.resourceType else {
            throw CommandError("not-a-questionnaire", "\(path) holds no Questionnaire.")
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

    /// Whether an item names a value set that is not in the form.
    private static func namesValueSets(_ items: [Questionnaire.Item]) -> Bool {
        items.contains { $0.answerValueSet.map { !$0.hasPrefix("#") } ?? false || namesValueSets($0.item) }
    }
}
