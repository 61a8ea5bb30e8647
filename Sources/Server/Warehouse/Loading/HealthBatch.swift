import FHIR
import Foundation
import HealthData
import InformedConsent
import RecordStorage

/// A batch of resources that are ready to be stored: devices, observations with their facts, and clinical records
/// without facts.
package struct HealthBatch: Sendable {
    struct Entry: Sendable {
        let record: NewRecord
        /// The entry for the warehouse; nil if there is none.
        var loaded: WarehouseEntry?
        /// Whether its id does not depend on its content, as with the summary of a day. It may be sent again with more
        /// data.
        var isRevisable = false
        /// Whether it is stored with the counted resources without being counted, for instance a device.
        var isUncounted = false
        /// The counter of the report that counts it.
        var counterKey: HealthImportReport.CounterKey?
        /// The ids that the same sample may have from a source that wrote its value in another unit.
        var alternateIDs: [String] = []
    }

    var entries: [Entry] = []

    package var isEmpty: Bool { entries.isEmpty }

    /// The resources, rows or bytes that justify a transaction. Rows with random keys change one page each, and a page
    /// that several of them change is written once.
    package struct Size: Sendable, Hashable {
        let resources: Int
        /// About fifteen for a reading, more for a resource with components.
        let rows: Int
        let bytes: Int

        /// For a load into a store that is in use.
        package static let usual = Size(resources: 4_096, rows: 65_536, bytes: 8 << 20)
        /// For a load that fills a store without other users.
        package static let filling = Size(resources: 32_768, rows: 524_288, bytes: 64 << 20)
    }
}

/// Makes batches without a database, so that the next batch can be made while the last one is written.
package struct HealthBatchMaker {
    /// The time at which the data was received.
    private let receivedAt: Date
    private var mapping: HealthFactMapping
    private let health: HealthConceptTable
    private var batch = HealthBatch()
    private var bytes = 0
    private var rows = 0
    private let size: HealthBatch.Size
    private let identifyingData: IdentifyingDataHandling
    private let identifying: IdentifyingData
    /// The number of resources that were rejected because they contain identifying data.
    package private(set) var identifyingCount = 0

    /// - Parameters:
    ///   - identifyingData: the handling of identifying data in resources that are added as JSON.
    ///   - health: the study's types.
    ///   - size: the size of a full batch.
    package init(
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

    /// - Parameter counterKey: the counter of the report that counts it.
    package mutating func add(
        _ observation: HealthObservation, countedAt counterKey: HealthImportReport.CounterKey? = nil
    ) {
        var content: [UInt8] = []
        content.reserveCapacity(1024)
        observation.write(to: &content)
        bytes += content.count
        let (record, facts) = mapping.map(observation, content: content, receivedAt: receivedAt)
        append(
            HealthBatch.Entry(
                record: record, loaded: WarehouseEntry(facts, ofObservation: record.id), counterKey: counterKey,
                alternateIDs: observation.sample.alternateFingerprints.map {
                    $0.resourceID(subject: observation.subject)
                }))
    }

    private mutating func append(_ entry: HealthBatch.Entry) {
        rows += entry.record.rowCount + (entry.loaded?.rowCount ?? 0)
        batch.entries.append(entry)
    }

    /// Adds a resource that exists as JSON: an observation with its own structure, a night's summary, a clinical
    /// record.
    ///
    /// - Parameter counterKey: the counter of the report that counts it.
    /// - Returns: false if the JSON is not a resource with an id, or contains identifying data. It is not added.
    package mutating func add(_ json: JSON, countedAt counterKey: HealthImportReport.CounterKey? = nil) -> Bool {
        guard let object = json.object else { return false }
        guard let (resource, isReduced) = try? identifyingData.admit(Resource(object), by: identifying) else {
            identifyingCount += 1
            return false
        }
        guard !resource.resourceType.isEmpty, let id = resource.id, Resource.isID(id) else { return false }
        let content = (isReduced ? resource.json : json).data()
        bytes += content.count
        var entry = HealthBatch.Entry(record: NewRecord(resource, id: id, content: content), counterKey: counterKey)
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

    /// Adds a device, before its measurements.
    package mutating func add(_ device: HealthDevice, subject: String) {
        let json = device.resource(subject: subject)
        guard let object = json.object else { return }
        let record = NewRecord(Resource(object), id: device.resourceID(subject: subject), content: json.data())
        append(HealthBatch.Entry(record: record, isUncounted: true))
    }

    /// Whether the batch is full.
    package var isWhole: Bool {
        batch.entries.count >= size.resources || rows >= size.rows || bytes >= size.bytes
    }

    /// Returns the batch, and begins a new one.
    package mutating func take() -> HealthBatch {
        defer {
            (bytes, rows) = (0, 0)
            let capacity = batch.entries.count
            batch = HealthBatch()
            batch.entries.reserveCapacity(capacity)
        }
        return batch
    }
}
