import FHIR
import Foundation
import HealthTypes
import Storage
import Warehouse

extension StudyFolder {
    /// Reads the study's supplement to the table of health types (`health-types.json`), without checking it; nil if it
    /// has none.
    ///
    /// - Throws: ``ServerError`` `study-invalid` if the file is not JSON.
    package func healthTypes() throws -> JSON? { try json(at: healthTypesURL) }

    /// Reads the settings with which phones follow health data (`health-sync.json`).
    ///
    /// - Throws: an error of the file, or of the study's own types.
    package func healthSync() throws -> FollowedHealthData {
        guard let json = try json(at: healthSyncURL) else { return FollowedHealthData() }
        return try FollowedHealthData(json, table: healthTypeTable())
    }

    func json(at url: URL) throws -> JSON? {
        let name = url.lastPathComponent
        guard let data = try FileAccess.contents(of: url) else { return nil }
        do {
            return try JSON(data)
        } catch {
            throw ServerError(code: "study-invalid", message: "\(name) is no JSON.")
        }
    }

    private func healthTypeTable() throws -> HealthTypeTable {
        guard let supplement = try healthTypes() else { return .standard }
        return try HealthTypeTable.standard.applying(supplement: supplement)
    }

    /// Reads the study's health types, for making facts.
    ///
    /// - Throws: an error of the study's own types.
    package func healthConcepts() throws -> HealthConceptTable {
        guard try healthTypes() != nil else { return .standard }
        return HealthConceptTable(of: try healthTypeTable())
    }
}
