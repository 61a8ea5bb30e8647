/// The state of a stream that the next step saves together with its own, so that a run of many steps does not wait for the disk
/// after each.
struct UnsavedState: Sendable {
    let stream: HealthStream
    /// The state as it is durable.
    let durable: HealthStreamState
    /// When the first step began whose state was left for later, in seconds since 1970.
    let since: Double

    /// What a process does again that ended is the work of so many seconds, and of the step that it was in.
    private static let longest = 1.0

    /// Whether another step may leave its state for later, too. A clock that was set back ends it.
    func isFresh(at now: Double) -> Bool { now >= since && now - since < Self.longest }
}
