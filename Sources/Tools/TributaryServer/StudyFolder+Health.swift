import FHIR
import Foundation

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
}
