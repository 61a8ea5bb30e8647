import Core
import Crypto
import FHIR
import Foundation
import HealthData
import Outbox
import Wire

/// What a study has its phones follow: its own types and `health-sync.json`, as the device last had them in order.
///
/// Where the study says nothing the table stands as it is, and all is followed that the signed Contract allows. What is damaged, or
/// cannot be had, replaces nothing.
public struct StudyHealthData: Sendable {
    /// The types, the study's own among them.
    public let table: HealthTypeTable
    /// What is followed of them.
    public let followed: FollowedHealthData
    /// Tells these types from others: what could not be converted is offered again with another one.
    public let version: String

    /// The file of the device that keeps them.
    private static let fileName = "study-health.json"

    /// The files as they are kept.
    private struct Kept: Codable, Equatable {
        struct File: Codable, Equatable {
            let content: Data
            let tag: String?
        }

        var types: File?
        var settings: File?
    }

    /// A study that says nothing.
    public init() { self = Self.reading(Kept()) ?? Self(table: .standard, followed: .init(), version: "table") }

    private init(table: HealthTypeTable, followed: FollowedHealthData, version: String) {
        self.table = table
        self.followed = followed
        self.version = version
    }

    /// What the device has kept.
    public init(of store: DeviceStore) {
        let kept = (try? store.value(Kept.self, named: Self.fileName)) ?? nil
        self = kept.flatMap(Self.reading) ?? Self()
    }

    /// Asks the study, and keeps what it says where it can be read whole.
    ///
    /// - Returns: whether something is new.
    /// - Throws: ``Outbox/OutboxError`` where the study cannot be asked or the disk is full;
    ///   ``HealthTypes/HealthTypeTableError`` for what cannot be read: then the device goes on with what it had.
    @discardableResult
    public static func refresh(in store: DeviceStore, from connection: StudyConnection) async throws -> Bool {
        let kept = (try? store.value(Kept.self, named: fileName)) ?? nil
        var new = kept ?? Kept()
        new.types = try await file(StudyPath.healthTypes, kept?.types, connection)
        new.settings = try await file(StudyPath.healthSync, kept?.settings, connection)
        guard new != kept ?? Kept() else { return false }
        _ = try Self(checking: new)
        try store.save(new, named: fileName)
        return true
    }

    private static func file(
        _ path: String, _ known: Kept.File?, _ connection: StudyConnection
    ) async throws -> Kept.File? {
        switch try await connection.studyFile(path, known: known?.tag) {
        case .unchanged: known
        case .absent: nil
        case .content(let content, let tag): Kept.File(content: content, tag: tag)
        }
    }

    private static func reading(_ kept: Kept) -> Self? { try? Self(checking: kept) }

    private init(checking kept: Kept) throws {
        var table = HealthTypeTable.standard
        if let types = kept.types { table = try table.applying(supplement: try JSON(types.content)) }
        var followed = FollowedHealthData()
        if let settings = kept.settings { followed = try FollowedHealthData(try JSON(settings.content), table: table) }
        let digest = SHA256.hash(data: kept.types?.content ?? Data())
        self.init(table: table, followed: followed, version: "table \(Hexadecimal.text(digest.prefix(8)))")
    }

    /// All that may be taken of a person's data: what the study follows, and of what is released only where it is named
    /// what the signed Contract names.
    ///
    /// - Parameter inclusions: those of the Contract.
    public func selection(naming inclusions: Set<HealthSelection.Inclusion>) -> HealthSelection {
        var selection = HealthSelection(table: table)
        selection.inclusions = inclusions
        selection.types = followed.types.map { Set($0.compactMap { table.type($0) }) }
        return selection
    }
}
