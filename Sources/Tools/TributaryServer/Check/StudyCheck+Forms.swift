import Core
import FHIR
import FHIRVersions
import Foundation
import Questionnaires

extension StudyCheck {
    /// The forms and the value sets beside them.
    func formFindings() -> [StudyFinding] {
        var (files, findings) = files(
            in: folder.questionnairesURL, ofTypes: [Questionnaire.resourceType, ValueSet.resourceType])
        let validator = Self.validator()
        for file in files { findings += validity(of: file, validator) }
        let forms = files.filter { $0.resource.resourceType == Questionnaire.resourceType }
        let sets = PublishedValueSets(folder.valueSets())
        var seen: [[String?]: String] = [:]
        for file in forms {
            guard let questionnaire = StudyFolder.inR4(file.resource)?.as(Questionnaire.self) else { continue }
            let form = QuestionnaireForm(questionnaire, valueSet: sets.valueSet)
            findings += form.problems.map { problem in
                StudyFinding(
                    StudyFinding.Severity(problem.severity), problem.code, file: file.name,
                    place: problem.linkID ?? "", problem.message)
            }
            let name = questionnaire.url ?? questionnaire.id
            if name == nil {
                findings.append(
                    StudyFinding(
                        .error, "form-without-name", file: file.name,
                        "It has neither url nor id, so that no response can name it."))
            }
            // Another release of the same form may stand beside it.
            let key = [name, questionnaire.version, FHIRVersion.of(file.resource).number]
            if let earlier = seen[key] {
                findings.append(
                    StudyFinding(
                        .error, "form-version-repeated", file: file.name, place: "version",
                        "\(earlier) has the same name and version; give each its own."))
            } else {
                seen[key] = file.name
            }
        }
        return findings
    }
}

extension StudyFinding.Severity {
    fileprivate init(_ severity: FormProblem.Severity) {
        self =
            switch severity {
            case .error: .error
            case .warning: .warning
            case .information: .information
            }
    }
}
