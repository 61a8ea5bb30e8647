import FHIR
import Foundation
import InformedConsent

extension StudyFolder {
    /// The study's supplement to the table of health types (`health-types.json`), not looked into yet; nil where it has
    /// none.
    ///
    /// - Throws: ``ServerError`` `study-invalid` where the file is no JSON.
    public func healthTypes() throws -> JSON? {
        guard FileManager.default.fileExists(atPath: healthTypesURL.path) else { return nil }
        let name = healthTypesURL.lastPathComponent
        guard let data = FileManager.default.contents(atPath: healthTypesURL.path) else {
            throw ServerError(code: "study-invalid", message: "\(name) cannot be read.")
        }
        do {
            return try JSON(data)
        } catch {
            throw ServerError(code: "study-invalid", message: "\(name) is no JSON.")
        }
    }

    /// The files beside the study's consents.
    var consentFiles: ConsentFiles { ConsentFiles(folder: consentURL) }

    /// The study's consents that can be read, with the files beside them.
    public func consents() -> [ConsentTemplate] {
        resources(in: consentURL, ofType: Contract.resourceType)
            .compactMap { try? consentFiles.template($0.resource) }
    }

    /// Returns the kinds of health data that the study's consent names, of those that are released only where they are
    /// named. Of several consents that are current (languages) those that all of them name: nobody may have signed less.
    public func includedHealthData() -> Set<String> {
        let consents = consents().filter { $0.status == .current }
        guard let first = consents.first else { return [] }
        return consents.dropFirst().reduce(first.includedHealthData) { $0.intersection($1.includedHealthData) }
    }
}
