import HealthData

/// What a synchronisation is asked for: by the study, and by the app.
public struct HealthSyncSettings: Sendable {
    /// Whose data it is, what of them, in which units.
    public var selection: HealthSelection
    /// The version of the table of types and of the app. With another one, what was set aside is offered again.
    public var version: String
    /// History goes back so many days from the beginning of a stream; nil takes all of it.
    public var lookBackDays: Int?
    /// The bounds of one wake.
    public var limits: HealthSyncLimits

    /// The look-back in seconds.
    var lookBack: Double? { lookBackDays.map { Double(max($0, 0)) * 86_400 } }

    /// Settings of their parts; a study that says nothing looks back 30 days.
    public init(
        selection: HealthSelection = HealthSelection(), version: String = "", lookBackDays: Int? = 30,
        limits: HealthSyncLimits = HealthSyncLimits()
    ) {
        self.selection = selection
        self.version = version
        self.lookBackDays = lookBackDays
        self.limits = limits
    }
}
