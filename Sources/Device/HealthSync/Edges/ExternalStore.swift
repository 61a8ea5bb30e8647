import FHIR
import Foundation
import HealthData

/// Where health data go: the outbox, a FHIR server, a file, an event hub, an app's own.
///
/// Each call answers for each sample by its identifier. An answer says what is durable. A sample that nobody answered for,
/// and all of a call that throws, are kept and come again, so that every call must come to the same end when it is made
/// twice: adding what is there makes no second, and deleting what is not there is done.
///
/// The calls of one store come one after the other. A call that takes longer than the wake has time is cancelled.
public protocol ExternalStore: Sendable {
    /// What the store takes for one thing; the content unless it says else.
    var identity: StoreIdentity { get }
    /// Whether the store finds by a sample's identifier what it was, so that it is asked to delete samples of which the
    /// device knows nothing any more.
    var findsUnknown: Bool { get }

    /// Which of the samples' resources the store has already. They are changed by ``update(_:)`` and not added. A store whose
    /// ``add(_:)`` finds that out by itself says of all that they are absent, as it does unless it says else.
    func fetch(_ samples: [OutgoingSample]) async throws -> StoreAnswers<StorePresence>
    /// Adds samples.
    func add(_ samples: [OutgoingSample]) async throws -> StoreAnswers<HealthOutcome>
    /// Changes samples that are there. Several may be one resource.
    func update(_ samples: [OutgoingSample]) async throws -> StoreAnswers<HealthOutcome>
    /// Deletes samples.
    func delete(_ samples: [DeletedSample]) async throws -> StoreAnswers<HealthOutcome>
    /// As much waits in the store before it leaves the device. History is not read before it is 0.
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
    /// It has.
    case present
    /// It has not.
    case absent
    /// It cannot be asked now. The code is stable; the wait in seconds is what the server asked for.
    case kept(code: String, retryAfter: Double?)
}

/// One sample on its way to a store. It is a class as it goes through many hands and never changes.
public final class OutgoingSample: Sendable {
    /// What it is.
    public enum Content: Sendable {
        /// The observation of a sample.
        case observation(HealthObservation)
        /// A record with a structure of its own.
        case special(HealthSpecial)
        /// What a converter of the app's own made.
        case other(JSON)
    }

    /// HealthKit's identifier of the sample.
    public let uuid: UUID
    /// HealthKit's identifier of its type.
    public let type: String
    /// When it ended, in seconds since 1970.
    public let end: Double
    /// What it is.
    public let content: Content
    /// Its resource, nearly always one, or its resources.
    public let target: HealthTarget
    /// Its resources as NDJSON: one JSON text a line. Made once, for whichever store.
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

    /// The product that recorded it, as far as it is known.
    public var source: HealthSource? {
        switch content {
        case .observation(let observation): observation.sample.source
        case .special(let special): special.record.origin.source
        case .other: nil
        }
    }

    /// The device that measured, as far as it is known. Its own resource goes before what it measured.
    public var device: HealthDevice? { source?.device }

    /// The sample's fingerprint, by which what an export brought is known; nil for what a converter of the app's own made.
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
    /// The references to its resources; empty where the device does not know them any more.
    public let targets: [String]

    /// Makes a deletion of its parts.
    public init(uuid: UUID, type: String, targets: [String]) {
        self.uuid = uuid
        self.type = type
        self.targets = targets
    }
}
