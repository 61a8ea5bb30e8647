import FHIR
import Foundation

extension StudyFolder {
    /// The folders of published resources.
    package var publishedURLs: [URL] { [questionnairesURL, consentURL] }

    /// Returns the published resources as R4, as they are stored among the records: each with its id, the newest of
    /// several versions.
    ///
    /// A published consent has an id of its own there. Apps of C3-PRO send a signed consent with the id of the
    /// published one, and that record belongs to the participant.
    package func publishedRecords() -> [Resource] {
        let files =
            resources(in: questionnairesURL, ofType: Questionnaire.resourceType)
            + resources(in: questionnairesURL, ofType: ValueSet.resourceType)
            + contracts()
        var found: [String: Resource] = [:]
        for file in files.newestReleases() {
            guard var resource = file.inR4 else { continue }
            let name = resource.resourceType == Contract.resourceType ? "published-" + file.name : file.name
            guard Resource.isID(name) else { continue }
            resource.id = name
            let key = resource.resourceType + "/" + name
            if let known = found[key], PublishedRank(known) >= PublishedRank(resource) { continue }
            found[key] = resource
        }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }
}
