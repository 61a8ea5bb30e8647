import CarePlans
import Core
import Foundation
import Storage

extension CarePushWriting {
    /// Resolves live outcomes that only a copy knows as superseded.
    ///
    /// CareKit's stores link a winner to other versions than the log does. After a restore of the store, such a link may be
    /// the only one that supersedes a version. A further version then follows both.
    ///
    /// - Parameter known: versions of the push that were in the log before it.
    mutating func complete(_ known: [CareEntity]) throws {
        for entity in known {
            guard let event = entity.event else { continue }
            for previous in entity.previous {
                // The versions are read again each time: the completion before may have resolved this one too.
                let rows = try transaction.query(
                    Self.eventVersionsSQL,
                    [SQLValue(push.patient), SQLValue(event.task.uuidString), SQLValue(event.occurrence)])
                let graph = VersionGraph(
                    try rows.map { try CareStoredVersion.entity(.outcome, content: $0.text("content")) })
                guard let superseded = graph.versions[previous], !superseded.isTombstone, graph.isTip(previous),
                    graph.versions[entity.uuid]?.previous.contains(previous) == false
                else { continue }
                let tips = graph.tips(after: entity.uuid).filter { $0.uuid != previous }
                guard !tips.isEmpty else { continue }
                try settle([superseded] + tips)
            }
        }
    }

    /// Versions of an event. Parameters: account, task, occurrence.
    static let eventVersionsSQL = """
        SELECT content FROM care_version
        WHERE account_id = ? AND task = ? AND occurrence = ? AND task IS NOT NULL ORDER BY number
        """
}

extension VersionGraph {
    /// The versions without a follower that follow a version, directly or by others; the version itself if it has no
    /// follower.
    func tips(after version: UUID) -> [CareEntity] {
        var reached: Set<UUID> = []
        var open = [version]
        while let current = open.popLast() {
            guard reached.insert(current).inserted else { continue }
            open += next[current] ?? []
        }
        return reached.filter { isTip($0) }.compactMap { versions[$0] }.sorted { $0.uuid.halves < $1.uuid.halves }
    }
}
