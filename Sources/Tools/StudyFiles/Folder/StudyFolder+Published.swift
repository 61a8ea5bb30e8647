import Core
import FHIR
import Foundation
import InformedConsent

extension StudyFolder {
    /// Returns the published forms (`questionnaires/*.json`) as R4, from any release of FHIR. Of several releases of
    /// one form, the newest is used.
    package func questionnaires() -> [Questionnaire] {
        resources(in: questionnairesURL, ofType: Questionnaire.resourceType).newestReleases()
            .compactMap(\.questionnaire)
    }

    /// Returns the value sets of the forms as R4. Questions may refer to them by url, by id, or by the file's name, as
    /// C3-PRO's apps do.
    package func valueSets() -> [ValueSet] { Self.valueSets(in: questionnairesURL) }

    /// Returns the value sets in a folder of forms.
    package static func valueSets(in folder: URL) -> [ValueSet] {
        let sets = resources(in: folder, ofType: ValueSet.resourceType).newestReleases()
            .compactMap { file in file.inR4?.as(ValueSet.self).map { (file: file, set: $0) } }
        // After those with this name as their id.
        return sets.map(\.set)
            + sets.filter { $0.set.id != $0.file.fileName && Resource.isID($0.file.fileName) }.map { file, set in
                var named = set
                named.id = file.fileName
                named.url = nil
                named.version = nil
                return named
            }
    }

    /// The text files of the study's consents.
    package var consentFiles: ConsentFiles { ConsentFiles(folder: consentURL) }

    /// Returns the readable consents of the study, with their text files; of several releases of one, the newest
    /// first.
    package func consents() -> [ConsentTemplate] {
        let study = (try? configuration())?.id
        return contracts().enumerated()
            .sorted { ($1.element.release, $0.offset) < ($0.element.release, $1.offset) }
            .compactMap { try? consent($0.element, ofStudy: study) }
    }

    /// Reads a published Contract. A Contract without url, which only R4 has, gets a url of the study that is the same
    /// for all its releases, so that later versions can replace it for all signers:
    /// `urn:tributary:consent:STUDY:NAME`.
    ///
    /// - Throws: ``InformedConsent/ConsentError`` if it cannot be read as a consent.
    func consent(_ file: PublishedFile, ofStudy study: String?) throws(ConsentError) -> ConsentTemplate {
        var contract = file.resource
        if contract["url"] == nil, let study {
            contract["url"] = .string("urn:tributary:consent:\(study):\(PercentEncoding.encode(file.name))")
        }
        return try consentFiles.template(contract)
    }

    /// Returns the kinds of health data that the study's consent includes, of those that must be named to be released.
    /// If several consents are current (languages), only the kinds in all of them: a person may have signed any of
    /// them.
    package func includedHealthData() -> Set<String> {
        let consents = consents().filter { $0.status == .current }
        guard let first = consents.first else { return [] }
        return consents.dropFirst().reduce(first.includedHealthData) { $0.intersection($1.includedHealthData) }
    }
}
