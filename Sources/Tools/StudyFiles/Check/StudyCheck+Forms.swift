import Core
import FHIR
import FHIRVersions
import FormAuthoring
import Foundation
import Questionnaires

extension StudyCheck {
    /// Returns findings about the forms and their value sets.
    func formFindings() -> [StudyFinding] {
        var (files, findings) = files(
            in: folder.questionnairesURL, ofTypes: [Questionnaire.resourceType, ValueSet.resourceType])
        let validator = Self.validator()
        for file in files { findings += validity(of: file, validator) }
        let forms = files.filter { $0.resource.resourceType == Questionnaire.resourceType }
        let sets = PublishedValueSets(folder.valueSets())
        let inDSTU2 = Set(forms.filter { $0.published.release == .dstu2 }.map(\.published.name))
        for file in forms where NewerRelease(of: file.resource) == nil {
            guard let questionnaire = file.published.questionnaire else { continue }
            let form = QuestionnaireForm(questionnaire, valueSet: sets.valueSet)
            let advice = FormReview.problems(of: form, valueSet: sets.valueSet).filter { $0.severity == .warning }
            findings += (form.problems + advice).map { problem in
                StudyFinding(
                    StudyFinding.Severity(problem.severity), code: problem.code, file: file.name,
                    path: problem.linkID ?? "", message: problem.message)
            }
            findings += nameFindings(
                of: questionnaire, in: file, isInDSTU2: inDSTU2.contains(file.published.name))
        }
        findings += strayFindings(in: folder.questionnairesURL, named: [])
        findings += repeated(
            forms, code: "form-version-repeated",
            "has the same url or id, version and release of FHIR; give each form a version of its own, and keep one file of each"
        )
        findings += repeated(
            files.filter { $0.resource.resourceType == ValueSet.resourceType }, code: "value-set-repeated",
            "has the same name and version, and is of the same release of FHIR, and says something else; keep one")
        return findings + differing(forms)
    }

    /// Returns findings about files that cannot be distinguished. Another release of the same resource is allowed.
    private func repeated(_ files: [File], code: String, _ what: String) -> [StudyFinding] {
        var seen: [[String?]: File] = [:]
        var findings: [StudyFinding] = []
        for file in files {
            let names = [file.resource.object["url"]?.string, file.published.name]
            let keys = names.compactMap(\.self).map { [$0, file.published.version, file.releases] }
            let earlier = keys.lazy.compactMap { seen[$0] }.first
            if let earlier, file.resource.resourceType != ValueSet.resourceType || earlier.resource != file.resource {
                findings.append(
                    StudyFinding(
                        .error, code: code, file: file.name, path: "version", message: "\(earlier.name) \(what)."))
            }
            for key in keys where seen[key] == nil { seen[key] = file }
        }
        return findings
    }

    /// Returns findings about releases of one form with different questions: answers to one are checked with the
    /// questions of the other.
    private func differing(_ files: [File]) -> [StudyFinding] {
        Dictionary(grouping: files) { $0.published.name }.values.flatMap { files -> [StudyFinding] in
            let newest = files.map(\.published).newestReleases()
            return files.compactMap { file in
                guard let other = newest.first(where: { $0.supersedes(file.published) }),
                    let asked = file.published.questionnaire.map(Self.questions),
                    let read = other.questionnaire.map(Self.questions), !asked.isSubset(of: read)
                else { return nil }
                return StudyFinding(
                    .warning, code: "form-releases-differ", file: file.name, path: "item",
                    message:
                        "The newer release \(other.file.lastPathComponent) has other questions, which check the answers."
                )
            }
        }
    }

    /// Returns the questions of a form: the linkId and the type of each.
    private static func questions(of form: Questionnaire) -> Set<[String]> {
        func questions(_ items: [Questionnaire.Item]) -> [[String]] {
            items.flatMap { item -> [[String]] in
                let isQuestion = item.type != .group && item.type != .display
                let own = isQuestion ? [[item.linkId ?? "", item.type?.rawValue ?? ""]] : []
                return own + questions(item.item)
            }
        }
        return Set(questions(form.item))
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
