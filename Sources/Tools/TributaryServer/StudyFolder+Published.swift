import Core
import FHIR
import Foundation
import InformedConsent

extension StudyFolder {
    /// The published forms (`questionnaires/*.json`) as R4, whatever release of FHIR they are written in: of several releases of
    /// one form the newest.
    public func questionnaires() -> [Questionnaire] {
        resources(in: questionnairesURL, ofType: Questionnaire.resourceType).newestReleases()
            .compactMap(\.questionnaire)
    }

    /// The value sets beside the forms as R4, which their questions may name by url, by id, and by the file's name, as
    /// C3-PRO's apps find theirs.
    public func valueSets() -> [ValueSet] { Self.valueSets(in: questionnairesURL) }

    /// The value sets in a folder of forms.
    public static func valueSets(in folder: URL) -> [ValueSet] {
        let sets = resources(in: folder, ofType: ValueSet.resourceType).newestReleases()
            .compactMap { file in file.inR4?.as(ValueSet.self).map { (file: file, set: $0) } }
        // After all that bear the name as their id.
        return sets.map(\.set)
            + sets.filter { $0.set.id != $0.file.fileName && Resource.isID($0.file.fileName) }.map { file, set in
                var named = set
                named.id = file.fileName
                named.url = nil
                named.version = nil
                return named
            }
    }

    /// The files beside the study's consents.
    var consentFiles: ConsentFiles { ConsentFiles(folder: consentURL) }

    /// The study's consents that can be read, with the files beside them; of several releases of one the newest first.
    public func consents() -> [ConsentTemplate] {
        let study = (try? configuration())?.id
        return resources(in: consentURL, ofType: Contract.resourceType).enumerated()
            .sorted { ($1.element.release, $0.offset) < ($0.element.release, $1.offset) }
            .compactMap { try? consent($0.element, ofStudy: study) }
    }

    /// Reads a published Contract. One without url, as R4 alone has it, gets one of the study's, the same for all its releases,
    /// so that later versions can follow it whoever signed: `urn:tributary:consent:STUDY:NAME`.
    ///
    /// - Throws: ``InformedConsent/ConsentError`` where it cannot be read as a consent.
    func consent(_ file: PublishedFile, ofStudy study: String?) throws(ConsentError) -> ConsentTemplate {
        var contract = file.resource
        if contract["url"] == nil, let study {
            contract["url"] = .string("urn:tributary:consent:\(study):\(PercentEncoding.encode(file.name))")
        }
        return try consentFiles.template(contract)
    }

    /// Returns the kinds of health data that the study's consent names, of those that are released only where they are
    /// named. Of several consents that are current (languages) those that all of them name: nobody may have signed less.
    public func includedHealthData() -> Set<String> {
        let consents = consents().filter { $0.status == .current }
        guard let first = consents.first else { return [] }
        return consents.dropFirst().reduce(first.includedHealthData) { $0.intersection($1.includedHealthData) }
    }
}
