import Consumer
import FHIR
import Foundation
import InformedConsent

/// The study's consent documents and forms, compiled once and again when a file changes.
actor PublishedFiles {
    private let folder: StudyFolder
    private var present: (marks: [String], study: PublishedStudy)?

    init(_ folder: StudyFolder) { self.folder = folder }

    /// Returns the files of the study that are published now.
    func study() -> PublishedStudy {
        let marks = [folder.consentURL, folder.questionnairesURL].flatMap(Self.marks)
        if let present, present.marks == marks { return present.study }
        let forms = folder.resources(in: folder.questionnairesURL, ofType: Questionnaire.resourceType)
            .map { Questionnaire($0.resource.object) }
        let study = PublishedStudy(templates: folder.consents(), forms: forms)
        present = (marks, study)
        return study
    }

    /// Name, size and time of each file: what differs when a file was changed.
    private static func marks(of url: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? []
        return names.map { name in
            let attributes = try? FileManager.default.attributesOfItem(
                atPath: url.appendingPathComponent(name).path)
            let size = (attributes?[.size] as? NSNumber)?.int64Value ?? -1
            let time = (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            return "\(url.lastPathComponent)/\(name) \(size) \(time)"
        }
    }
}
