import FHIR
import Foundation
import HealthData

/// A destination of health data: the outbox, a FHIR server, a file, an event hub, or the app's own store.
///
/// Each call returns an answer for each sample, by identifier. An answer reports what is durable. A sample without an
/// answer is deferred and sent again; if a call throws, all of its samples are. Every call must therefore be
/// idempotent: adding an existing resource creates no second one, and deleting an absent one succeeds.
///
/// The calls of one store are serial. A call that exceeds the time of the wake is cancelled.
public protocol ExternalStore: Sendable {
    /// The identity of resources in the store. The default is the content.
    var identity: StoreIdentity { get }
    /// Whether the store finds a resource by the identifier of its sample, so that it is also asked to delete samples
    /// that are not in the device's index any more.
    var findsUnknown: Bool { get }

    /// Returns which of the samples' resources exist in the store. Existing ones are sent to ``update(_:)`` and not to
    /// ``add(_:)``. A store whose ``add(_:)`` detects existing resources returns absent for all, which is the default.
    func fetch(_ samples: [OutgoingSample]) async throws -> StoreAnswers<StorePresence>
    /// Adds samples.
    func add(_ samples: [OutgoingSample]) async throws -> StoreAnswers<HealthOutcome>
    /// Changes samples that exist in the store. Several of them may be one resource.
    func update(_ samples: [OutgoingSample]) async throws -> StoreAnswers<HealthOutcome>
    /// Deletes samples.
    func delete(_ samples: [DeletedSample]) async throws -> StoreAnswers<HealthOutcome>
    /// Returns the number of items in the store that have not left the device, such as queued submissions. History is
    /// read only while it is 0.
    func backlog() async throws -> Int
}

extension ExternalStore {
    public var identity: StoreIdentity { .content }
    public var findsUnknown: Bool { false }
    public func fetch(_ samples: [OutgoingSample]) async throws -> StoreAnswers<StorePresence> {
        StoreAnswers(forAll: .absent)
    }
    public func backlog() async throws -> Int { 0 }
}

/// Whether a store has the resource of a sample.
public enum StorePresence: Sendable, Hashable {
    /// The store has the resource.
    case present
    /// The store does not have the resource.
    case absent
    /// The store cannot answer now. The code is stable; the delay in seconds is the one that the server asked for.
    case deferred(code: String, retryAfter: Double?)
}

/// One sample on its way to a store. It is a class because it is passed on often and is immutable.
public final class OutgoingSample: Sendable {
    /// The content of a sample.
    public enum Content: Sendable {
        /// The observation of a sample.
        case observation(HealthObservation)
        /// A record with a structure of its own.
        case special(HealthSpecial)
        /// The resource that a converter of the app made.
        case other(JSON)
    }

    /// HealthKit's identifier of the sample.
    public let uuid: UUID
    /// HealthKit's identifier of its type.
    public let type: String
    /// The end of the sample, in seconds since 1970.
    public let end: Double
    /// The content of the sample.
    public let content: Content
    /// Its resource or resources; nearly always one.
    public let target: HealthTarget
    /// Its resources as NDJSON: one JSON text a line. They are encoded once, for all kinds of store.
    public let lines: [UInt8]

    init(uuid: UUID, type: String, end: Double, content: Content, target: HealthTarget, lines: [UInt8]) {
        self.uuid = uuid
        self.type = type
        self.end = end
        self.content = content
        self.target = target
        self.lines = lines
    }

    /// The references to its resources, such as `Observation/ID`.
    public var targets: [String] { target.references }

    /// The product that recorded the sample, if known.
    public var source: HealthSource? {
        switch content {
        case .observation(let observation): observation.sample.source
        case .special(let special): special.record.origin.source
        case .other: nil
        }
    }

    /// The device that measured the sample, if known. Its resource is sent before those of its measurements.
    public var device: HealthDevice? { source?.device }

    /// The sample's fingerprint, which identifies samples that came from an export; nil for a resource of the app's own
    /// converter.
    public var fingerprint: SampleFingerprint? {
        switch content {
        case .observation(let observation): observation.fingerprint
        case .special(let special): special.fingerprint
        case .other: nil
        }
    }

    /// The resources as JSON.
    public var resources: [JSON] {
        switch content {
        case .observation(let observation): [observation.observation.json]
        case .special(let special): special.resources
        case .other(let resource): [resource]
        }
    }
}

/// A sample that was deleted.
public struct DeletedSample: Sendable, Hashable {
    /// HealthKit's identifier of the sample.
    public let uuid: UUID
    /// HealthKit's identifier of its type.
    public let type: String
    /// The references to its resources; empty if the sample is not in the device's index any more.
    public let targets: [String]

    /// Creates a deletion.
    public init(uuid: UUID, type: String, targets: [String]) {
        self.uuid = uuid
        self.type = type
        self.targets = targets
    }
}
