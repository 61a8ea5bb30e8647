import FHIR
import Foundation

extension StudyFolder {
    /// The folders of what the study publishes.
    var publishedPlaces: [URL] { [questionnairesURL, consentURL] }

    /// What the study publishes as R4, as it stands among the records: each under its id, of several versions the newest.
    ///
    /// A consent has an id of its own there. Apps of C3-PRO send what was signed under the id of what they were given, and
    /// that record is the participant's.
    func publishedRecords() -> [Resource] {
        let files =
            resources(in: questionnairesURL, ofType: Questionnaire.resourceType)
            + resources(in: questionnairesURL, ofType: ValueSet.resourceType)
            + resources(in: consentURL, ofType: Contract.resourceType)
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
