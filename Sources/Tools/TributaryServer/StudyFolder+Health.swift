import FHIR
import Foundation
import HealthTypes
import Storage
import Warehouse

extension StudyFolder {
    /// The study's supplement to the table of health types (`health-types.json`), not looked into yet; nil where it has
    /// none.
    ///
    /// - Throws: ``ServerError`` `study-invalid` where the file is no JSON.
    public func healthTypes() throws -> JSON? { try json(at: healthTypesURL) }

    /// How phones follow the study's health data (`health-sync.json`).
    ///
    /// - Throws: what is wrong in it, or in the study's own types.
    public func healthSync() throws -> FollowedHealthData {
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

    /// The study's health types, as facts are made by them.
    ///
    /// - Throws: what is wrong in the study's own types, too.
    public func healthConcepts() throws -> HealthConceptTable {
        guard try healthTypes() != nil else { return .standard }
        return HealthConceptTable(of: try healthTypeTable())
    }
}
