import Core
import Foundation

/// The rule for several versions of one entity, and several live outcomes of one event, that do not follow each other.
///
/// Server, phones and the adapter for CareKit use this rule alone.
public enum ConflictResolution {
    /// Returns the version that wins: a tombstone before a live version, then the newest `updatedDate`, then the greater
    /// uuid; nil for no versions. A version without `updatedDate` is the oldest.
    public static func winner(of versions: some Sequence<CareEntity>) -> CareEntity? {
        versions.max { isLess($0, $1) }
    }

    private static func isLess(_ one: CareEntity, _ other: CareEntity) -> Bool {
        if one.isTombstone != other.isTombstone { return other.isTombstone }
        let (first, second) = (one.updatedDate ?? -.infinity, other.updatedDate ?? -.infinity)
        return first != second ? first < second : one.uuid.halves < other.uuid.halves
    }

    /// Returns the version that resolves a conflict: it follows all the versions and has the content of the winner.
    ///
    /// `updatedDate` is the latest of all. An outcome also has the latest `effectiveDate`, because CareKit hides a version
    /// that follows one with a later date.
    ///
    /// - Parameter uuid: the identity of the new version.
    /// - Returns: nil for no versions.
    public static func resolution(of versions: [CareEntity], uuid: UUID) -> CareEntity? {
        guard let winner = winner(of: versions) else { return nil }
        var object = winner.object
        object["uuid"] = .string(uuid.uuidString)
        object["previousVersionUUIDs"] = .array(
            versions.map(\.uuid.uuidString).sorted().map { .string($0) })
        object["nextVersionUUIDs"] = []
        if let latest = versions.max(by: { ($0.updatedDate ?? -.infinity) < ($1.updatedDate ?? -.infinity) }),
            latest.updatedDate != nil
        {
            object["updatedDate"] = latest.object["updatedDate"]
        }
        if winner.kind == .outcome, let latest = versions.max(by: { $0.effectiveDate < $1.effectiveDate }) {
            object["effectiveDate"] = latest.object["effectiveDate"]
        }
        return try? CareEntity(kind: winner.kind, object: object)
    }
}
