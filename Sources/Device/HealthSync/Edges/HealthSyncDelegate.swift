import Foundation

/// The app's say in what goes to a store.
///
/// A "no" concerns the sample alone that was asked about: it is not sent and not offered again, and everything else goes on.
/// The app is asked once for each sample and call; what it is told afterwards has an outcome for each.
public protocol HealthSyncDelegate: Sendable {
    /// Whether a stream shall be worked on in the run that begins. What changed stays behind its anchor; the next wake of its
    /// type and the next run by hand ask again.
    func shouldSynchronize(_ stream: HealthStream) async -> Bool
    /// Whether the store shall be asked for the sample. Without it nobody knows whether it is there, so it is left out.
    func shouldFetch(_ sample: OutgoingSample, from store: String) async -> Bool
    /// Whether the sample shall be added.
    func shouldAdd(_ sample: OutgoingSample, to store: String) async -> Bool
    /// Whether the sample shall be changed.
    func shouldUpdate(_ sample: OutgoingSample, in store: String) async -> Bool
    /// Whether the sample shall be deleted.
    func shouldDelete(_ sample: DeletedSample, from store: String) async -> Bool

    /// The store was asked; these it has.
    func fetchComplete(_ samples: [OutgoingSample], present: Set<UUID>, from store: String) async
    /// Samples were added, or not.
    func addComplete(_ outcomes: [UUID: HealthOutcome], to store: String) async
    /// Samples were changed, or not.
    func updateComplete(_ outcomes: [UUID: HealthOutcome], in store: String) async
    /// Samples were deleted, or not.
    func deleteComplete(_ outcomes: [UUID: HealthOutcome], from store: String) async

    /// A run ended: what a wake did is told after HealthKit's completion handler was called.
    func runComplete(_ report: HealthSyncReport) async
    /// There is more to do; a wake in so many seconds would be good.
    func wakeWanted(after seconds: Double) async
    /// Types that the system does not wake the app for, each with the reason.
    func observationFailed(_ failures: [String: HealthSourceError]) async
}

extension HealthSyncDelegate {
    public func shouldSynchronize(_ stream: HealthStream) async -> Bool { true }
    public func shouldFetch(_ sample: OutgoingSample, from store: String) async -> Bool { true }
    public func shouldAdd(_ sample: OutgoingSample, to store: String) async -> Bool { true }
    public func shouldUpdate(_ sample: OutgoingSample, in store: String) async -> Bool { true }
    public func shouldDelete(_ sample: DeletedSample, from store: String) async -> Bool { true }
    public func fetchComplete(_ samples: [OutgoingSample], present: Set<UUID>, from store: String) async {}
    public func addComplete(_ outcomes: [UUID: HealthOutcome], to store: String) async {}
    public func updateComplete(_ outcomes: [UUID: HealthOutcome], in store: String) async {}
    public func deleteComplete(_ outcomes: [UUID: HealthOutcome], from store: String) async {}
    public func runComplete(_ report: HealthSyncReport) async {}
    public func wakeWanted(after seconds: Double) async {}
    public func observationFailed(_ failures: [String: HealthSourceError]) async {}
}
