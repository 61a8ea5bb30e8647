import Foundation

/// The app's decisions about what is sent to a store.
///
/// A refusal concerns only the sample in question: it is not sent and not offered again, and all other samples are
/// processed. The app is asked once for each sample and call; each completion call has an outcome for each sample.
public protocol HealthSyncDelegate: Sendable {
    /// Returns whether the run that begins includes a stream. After a refusal the stream's anchor does not move; the
    /// next wake of its type and the next manual run ask again.
    func shouldSynchronize(_ stream: HealthStream) async -> Bool
    /// Returns whether the store is asked for the sample. Otherwise its presence is unknown, and it is declined.
    func shouldFetch(_ sample: OutgoingSample, from store: String) async -> Bool
    /// Returns whether the sample is added.
    func shouldAdd(_ sample: OutgoingSample, to store: String) async -> Bool
    /// Returns whether the sample is changed.
    func shouldUpdate(_ sample: OutgoingSample, in store: String) async -> Bool
    /// Returns whether the sample is deleted.
    func shouldDelete(_ sample: DeletedSample, from store: String) async -> Bool

    /// Called after the store was asked which samples it has: those in `present`.
    func fetchComplete(_ samples: [OutgoingSample], present: Set<UUID>, from store: String) async
    /// Called after samples were sent to be added, with the outcome of each.
    func addComplete(_ outcomes: [UUID: HealthOutcome], to store: String) async
    /// Called after samples were sent to be changed, with the outcome of each.
    func updateComplete(_ outcomes: [UUID: HealthOutcome], in store: String) async
    /// Called after samples were sent to be deleted, with the outcome of each.
    func deleteComplete(_ outcomes: [UUID: HealthOutcome], from store: String) async

    /// Called at the end of a run. The report of a wake arrives after HealthKit's completion handler was called.
    func runComplete(_ report: HealthSyncReport) async
    /// Called when there is more to do; a wake after this number of seconds is desired.
    func wakeWanted(after seconds: Double) async
    /// Called with the types for which the system does not wake the app, each with the reason.
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
