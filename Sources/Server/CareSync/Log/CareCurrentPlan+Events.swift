import CarePlans
import Core
import Foundation
import Storage

extension CareCurrentPlan {
    /// Returns the contents of the plan without outcomes.
    private func withoutOutcomes() throws -> CarePlanContents { CarePlanContents(try definitions()) }

    /// Returns the whole plan.
    ///
    /// - Throws: ``CareLogError`` `range-too-large`.
    func contents() throws -> CarePlanContents {
        var contents = try withoutOutcomes()
        for entity in try liveTips() where entity.kind == .outcome { contents.insert(entity) }
        return contents
    }

    /// Returns the plan with the live outcomes of the events that overlap a time.
    ///
    /// - Throws: ``CarePlanError`` `schedule-too-dense`, `range-too-large`; ``CareLogError`` `range-too-large`.
    func contents(from start: Date, to end: Date) throws -> CarePlanContents {
        let contents = try withoutOutcomes()
        var complete = contents
        for task in contents.graph.versions.values
        where task.kind == .task && !task.isTombstone
            && Date(timeIntervalSinceReferenceDate: task.effectiveDate) < end
        {
            // A version whose schedule cannot be computed has no outcomes, because a push checks that.
            guard let events = try? CareTask(task).schedule.events(from: start, to: end, limit: Self.maximumExamined)
            else { continue }
            let occurrences = events.map(\.occurrence)
            guard let first = occurrences.min(), let last = occurrences.max() else { continue }
            for outcome in try outcomes(of: task.uuid, from: first, to: last) { complete.insert(outcome) }
        }
        return complete
    }

    /// Maximum number of events of one version of a task that are examined.
    private static let maximumExamined = 500_000

    private func outcomes(of task: UUID, from first: Int, to last: Int) throws -> [CareEntity] {
        try entities(
            Self.outcomesSQL, [SQLValue(patient), SQLValue(task.uuidString), SQLValue(first), SQLValue(last)])
    }

    /// Live outcomes of a task version. Parameters: account, task, first occurrence, last occurrence.
    static let outcomesSQL = """
        SELECT kind, content FROM care_version
        WHERE account_id = ? AND task = ? AND occurrence BETWEEN ? AND ? AND task IS NOT NULL AND followed_by IS NULL
            AND is_tombstone = 0 ORDER BY occurrence
        """
}
