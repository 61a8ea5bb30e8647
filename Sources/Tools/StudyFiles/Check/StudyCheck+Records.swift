import FHIR
import Foundation
import RecordStorage
import Storage

extension StudyCheck {
    /// Returns findings about forms that were published before with the same url and version and other content: a
    /// response does not show which of the two it answers.
    /// - Throws: ``Storage/StorageError``.
    package func recordFindings(_ records: any SQLDatabase) async throws -> [StudyFinding] {
        let forms = folder.resources(in: folder.questionnairesURL, ofType: Questionnaire.resourceType).newestReleases()
            .compactMap { file in file.questionnaire.map { (file: file, form: Self.content($0)) } }
        var differing: Set<String> = []
        var last: RecordStore.PublishedVersion?
        repeat {
            let start = last
            let page = try await records.read { transaction in
                try RecordStore().publishedVersions(
                    ofType: Questionnaire.resourceType, after: start, limit: 100, in: transaction)
            }
            for version in page {
                guard let known = (try? Resource(version.record.content))?.as(Questionnaire.self) else { continue }
                for (file, form) in forms
                where form.url == known.url && form.version == known.version
                    && (form.url != nil || file.name == version.record.id) && Self.content(known) != form
                {
                    differing.insert("\(folder.questionnairesURL.lastPathComponent)/\(file.file.lastPathComponent)")
                }
            }
            last = page.count < 100 ? nil : page.last
        } while last != nil
        return differing.sorted().map { name in
            StudyFinding(
                .warning, code: "form-changed-without-version", file: name, path: "version",
                message:
                    "It was published before with other content and the same version; give each change a version of its own. "
                    + "Answers to the former content are taken as well.")
        }
    }

    /// The form without the id that the records give it.
    private static func content(_ form: Questionnaire) -> Questionnaire {
        var form = form
        form.id = nil
        return form
    }
}
