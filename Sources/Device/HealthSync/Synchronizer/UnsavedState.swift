/// The state of a stream that the next step saves together with its own, so that a run of many steps does not wait for
/// the disk after each.
struct UnsavedState: Sendable {
    let stream: HealthStream
    /// The durable state.
    let durable: HealthStreamState
    /// The start of the first step whose state was not saved, in seconds since 1970.
    let since: Double

    /// Maximum seconds of work that a terminated process repeats, in addition to the step in progress.
    private static let longest = 1.0

    /// Returns whether another step may also save later. A clock that was set back ends it.
    func isFresh(at now: Double) -> Bool { now >= since && now - since < Self.longest }
}
