import HealthData

/// The settings of a synchronization, from the study and from the app.
public struct HealthSyncSettings: Sendable {
    /// The person, the selected data and the units.
    public var selection: HealthSelection
    /// The version of the table of types and of the app. With another version, quarantined samples are offered again.
    public var version: String
    /// Days that the history goes back from the beginning of a stream; nil takes all of it.
    public var lookBackDays: Int?
    /// The limits of one wake.
    public var limits: HealthSyncLimits

    /// The look-back in seconds.
    var lookBack: Double? { lookBackDays.map { Double(max($0, 0)) * 86_400 } }

    /// Creates settings. The default look-back is 30 days.
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
