import Storage

/// The encounter that the facts of a resource belong to.
enum FactEncounter: Sendable, Hashable {
    /// The encounter of a form's answers, named by the response's type and id.
    case resource(String)
    /// The encounter of all measurements of a participant by one kind of source on one day. The day is that of the
    /// person's time zone, as `YYYY-MM-DD`.
    case day(FactSource, String)

    /// The name of the encounter in `encounter_mapping`, in addition to the participant's.
    var ide: String {
        switch self {
        case .resource(let ide): ide
        case .day(let source, let day): "\(source.rawValue)/\(day)"
        }
    }

    /// i2b2's two letters for a visit whose start and end are known to the day.
    static let statusOfDay = "YD"

    /// Returns the encounter with its day moved, limited to the range of the calendar.
    func shifted(byDays days: Int) -> FactEncounter {
        guard days != 0, case .day(let source, let day) = self else { return self }
        return .day(source, ShiftedDate.clamped(day, byDays: days))
    }
}
