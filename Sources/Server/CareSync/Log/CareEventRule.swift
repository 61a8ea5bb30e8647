import CarePlans
import Core

/// Whether a task version has an event of an index.
enum CareEventRule {
    static func hasEvent(_ occurrence: Int, of task: CareEntity) -> Bool {
        guard occurrence >= 0, task.kind == .task else { return false }
        return true
    }
}
