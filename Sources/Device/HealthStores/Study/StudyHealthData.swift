import Core
import Crypto
import FHIR
import Foundation
import HealthData
import Outbox
import Wire

/// The health data that a study collects from its phones: its own types and `health-sync.json`, in the last valid
/// version that the device has.
///
/// If the study has no such files, the standard table is used, and all data are collected that the signed Contract
/// allows. A damaged or unavailable file replaces nothing.
public struct StudyHealthData: Sendable {
    /// The types, including the study's own.
    public let table: HealthTypeTable
    /// The collected types.
    public let followed: FollowedHealthData
    /// The version of the types. Samples that could not be converted are offered again with another version.
    public let version: String

    /// The name of the device's file with the saved content.
    private static let fileName = "study-health.json"

    /// The saved files of the study.
    private struct SavedFiles: Codable, Equatable {
        struct File: Codable, Equatable {
            let content: Data
            let tag: String?
        }

        var types: File?
        var settings: File?
    }

    /// Creates the value of a study without such files.
    public init() { self = Self.reading(SavedFiles()) ?? Self(table: .standard, followed: .init(), version: "table") }

    private init(table: HealthTypeTable, followed: FollowedHealthData, version: String) {
        self.table = table
        self.followed = followed
        self.version = version
    }

    /// Reads the saved files of a device.
    public init(of store: DeviceStore) {
        let saved = (try? store.value(SavedFiles.self, named: Self.fileName)) ?? nil
        self = saved.flatMap(Self.reading) ?? Self()
    }

    /// Requests the files from the study, and saves them if all of them are valid.
    ///
    /// - Returns: whether something has changed.
    /// - Throws: ``Outbox/OutboxError`` if the study cannot be reached or the disk is full;
    ///   ``HealthTypes/HealthTypeTableError`` for invalid files; then the device continues with the saved ones.
    @discardableResult
    public static func refresh(in store: DeviceStore, from connection: StudyConnection) async throws -> Bool {
        let saved = (try? store.value(SavedFiles.self, named: fileName)) ?? nil
        var new = saved ?? SavedFiles()
        new.types = try await file(StudyPath.healthTypes, known: saved?.types, from: connection)
        new.settings = try await file(StudyPath.healthSync, known: saved?.settings, from: connection)
        guard new != saved ?? SavedFiles() else { return false }
        _ = try Self(checking: new)
        try store.save(new, named: fileName)
        return true
    }

    private static func file(
        _ path: String, known: SavedFiles.File?, from connection: StudyConnection
    ) async throws -> SavedFiles.File? {
        switch try await connection.studyFile(path, known: known?.tag) {
        case .unchanged: known
        case .absent: nil
        case .content(let content, let tag): SavedFiles.File(content: content, tag: tag)
        }
    }

    private static func reading(_ saved: SavedFiles) -> Self? { try? Self(checking: saved) }

    private init(checking saved: SavedFiles) throws {
        var table = HealthTypeTable.standard
        if let types = saved.types { table = try table.applying(supplement: try JSON(types.content)) }
        var followed = FollowedHealthData()
        if let settings = saved.settings { followed = try FollowedHealthData(try JSON(settings.content), table: table) }
        let digest = SHA256.hash(data: saved.types?.content ?? Data())
        self.init(table: table, followed: followed, version: "table \(Hexadecimal.text(digest.prefix(8)))")
    }

    /// Returns all data that may be collected from a person: those that the study follows. Data that are released only
    /// by name must also be named in the signed Contract.
    ///
    /// - Parameter inclusions: those of the Contract.
    public func selection(naming inclusions: Set<HealthSelection.Inclusion>) -> HealthSelection {
        var selection = HealthSelection(table: table)
        selection.inclusions = inclusions
        selection.types = followed.types.map { Set($0.compactMap { table.type($0) }) }
        return selection
    }
}
