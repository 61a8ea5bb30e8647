/// The amount of calendar arithmetic that one question may need.
struct ScheduleBudget {
    /// Budget of a question about one schedule: less than one second.
    static let schedule = 200_000
    /// Budget of a question about all schedules of a plan: about two seconds.
    static let plan = 1_000_000

    private(set) var left: Int

    init(_ steps: Int = ScheduleBudget.schedule) { left = steps }

    /// Spends steps.
    ///
    /// - Throws: ``CarePlanError`` `schedule-too-dense`.
    mutating func spend(_ steps: Int) throws(CarePlanError) {
        left -= steps
        guard left >= 0 else { throw CarePlanError(.scheduleTooDense, at: "$.schedule") }
    }
}
