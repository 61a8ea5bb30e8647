import Storage

/// The encounter that the facts of a resource belong to.
enum FactEncounter: Sendable, Hashable {
    /// A form's answers are an encounter of their own, named by the response's type and id.
    case resource(String)
    /// What one kind of source measured of a participant on one day is one encounter. The day is the person's own, as
    /// `YYYY-MM-DD`.
    case day(FactSource, String)

    /// The name that `encounter_mapping` has for it, beside the participant's.
    var ide: String {
        switch self {
        case .resource(let ide): ide
        case .day(let source, let day): "\(source.rawValue)/\(day)"
        }
    }

    /// i2b2's two letters for a visit of which the day is known, of its end as of its start.
    static let statusOfDay = "YD"

    /// Moved by a participant's days; what would leave the calendar stays at its end.
    func shifted(byDays days: Int) -> FactEncounter {
        guard days != 0, case .day(let source, let day) = self else { return self }
        return .day(source, ShiftedDate.clamped(day, byDays: days))
    }
}
