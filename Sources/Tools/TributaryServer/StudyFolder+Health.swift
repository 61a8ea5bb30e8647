import FHIR
import Foundation
import Warehouse

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

    /// The study's health types, as facts are made by them.
    ///
    /// - Throws: what is wrong in the study's own types, too.
    public func healthConcepts() throws -> HealthConceptTable {
        guard let supplement = try healthTypes() else { return .standard }
        return HealthConceptTable(try HealthConcept.concepts(supplement: supplement))
    }
}
