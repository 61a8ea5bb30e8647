import FHIR
import Foundation
import HealthData
import InformedConsent
import Records

/// A batch of resources that are ready to be stored: devices, observations with their facts, and clinical records,
/// which have none.
public struct HealthBatch: Sendable {
    struct Entry: Sendable {
        let record: NewRecord
        /// The entry that the warehouse takes of it; nil where that is nothing.
        var loaded: WarehouseEntry?
        /// Whether it is not named by its content, as the summary of a day: it may come again with more in it.
        var isRevisable = false
        /// Whether it stands beside what is counted, as a device does.
        var isBeside = false
        /// Where in the account it is counted.
        var place: HealthImportReport.Place?
        /// The ids that the same sample may have from a source that wrote its value in another unit.
        var alternateIDs: [String] = []
    }

    var entries: [Entry] = []

    public var isEmpty: Bool { entries.isEmpty }

    /// So many resources, rows or bytes of them are worth a transaction: rows under keys that are random change a page each, and a
    /// page that many of them change is written once.
    public struct Size: Sendable, Hashable {
        let resources: Int
        /// A reading has some fifteen, what has components many more.
        let rows: Int
        let bytes: Int

        /// Of a load into a store that others work with.
        public static let usual = Size(resources: 4_096, rows: 65_536, bytes: 8 << 20)
        /// Of one that fills a store alone.
        public static let filling = Size(resources: 32_768, rows: 524_288, bytes: 64 << 20)
    }
}

/// Makes batches. It needs no database, so the next batch can be made while the last is being written.
public struct HealthBatchMaker {
    /// When the data came.
    private let receivedAt: Date
    private var mapping: HealthFactMapping
    private let health: HealthConceptTable
    private var batch = HealthBatch()
    private var bytes = 0
    private var rows = 0
    private let size: HealthBatch.Size
    private let identifyingData: IdentifyingDataHandling
    private let identifying: IdentifyingData
    /// How many resources were not taken because they say who the person is.
    public private(set) var identifyingCount = 0

    /// - Parameters:
    ///   - identifyingData: what becomes of resources that say who the person is, of those that are made already.
    ///   - health: the study's types.
    ///   - size: what is enough for a transaction.
    public init(
        receivedAt: Date, identifyingData: IdentifyingDataHandling = .quarantine,
        health: HealthConceptTable = .standard,
        size: HealthBatch.Size = .usual
    ) {
        self.size = size
        self.receivedAt = receivedAt
        self.health = health
        mapping = HealthFactMapping(health: health)
        self.identifyingData = identifyingData
        identifying = IdentifyingData(today: DateTime(receivedAt))
    }

    /// - Parameter place: where in the account it is counted.
    public mutating func add(_ observation: HealthObservation, countedAt place: HealthImportReport.Place? = nil) {
        var content: [UInt8] = []
        content.reserveCapacity(1024)
        observation.write(to: &content)
        bytes += content.count
        let (record, facts) = mapping.map(observation, content: content, receivedAt: receivedAt)
        append(
            HealthBatch.Entry(
                record: record, loaded: WarehouseEntry(facts, ofObservation: record.id), place: place,
                alternateIDs: observation.sample.alternateFingerprints.map {
                    $0.resourceID(subject: observation.subject)
                }))
    }

    private mutating func append(_ entry: HealthBatch.Entry) {
        rows += entry.record.rowCount + (entry.loaded?.rowCount ?? 0)
        batch.entries.append(entry)
    }

    /// Adds a resource that is made already: an observation with a structure of its own, a night's summary, a clinical
    /// record.
    ///
    /// - Parameter place: where in the account it is counted.
    /// - Returns: false for what is no resource with an id, and for what says who the person is; it is not taken.
    public mutating func add(_ json: JSON, countedAt place: HealthImportReport.Place? = nil) -> Bool {
        guard let object = json.object else { return false }
        guard let (resource, isReduced) = try? identifyingData.admit(Resource(object), by: identifying) else {
            identifyingCount += 1
            return false
        }
        guard !resource.resourceType.isEmpty, let id = resource.id, Resource.isID(id) else { return false }
        let content = (isReduced ? resource.json : json).data()
        bytes += content.count
        var entry = HealthBatch.Entry(record: NewRecord(resource, id: id, content: content), place: place)
        if resource.resourceType == Observation.resourceType {
            let storable = StorableText.resource(resource)
            let facts = FactMapping.facts(
                of: Observation(storable.object), health: health, receivedAt: receivedAt)
            entry.loaded = WarehouseEntry(facts, ofObservation: id)
            entry.isRevisable = true
        }
        append(entry)
        return true
    }

    /// Adds a device, which goes before what it measured.
    public mutating func add(_ device: HealthDevice, subject: String) {
        let json = device.resource(subject: subject)
        guard let object = json.object else { return }
        let record = NewRecord(Resource(object), id: device.resourceID(subject: subject), content: json.data())
        append(HealthBatch.Entry(record: record, isBeside: true))
    }

    /// Whether what was gathered is enough for a transaction.
    public var isWhole: Bool {
        batch.entries.count >= size.resources || rows >= size.rows || bytes >= size.bytes
    }

    /// Returns the batch that was gathered since the last time, and begins a new one.
    public mutating func take() -> HealthBatch {
        defer {
            (bytes, rows) = (0, 0)
            let room = batch.entries.count
            batch = HealthBatch()
            batch.entries.reserveCapacity(room)
        }
        return batch
    }
}
