import FHIR
import Foundation
import HealthData
import Records

/// What is ready to be stored: devices, observations with their facts, and clinical records, which have none.
public struct HealthBatch: Sendable {
    struct Entry: Sendable {
        let record: NewRecord
        /// What the warehouse takes of it; nil where that is nothing.
        var loaded: WarehouseEntry?
        /// Whether it is not named by its content, as the summary of a day: it may come again with more in it.
        var isRevisable = false
        /// Whether it stands beside what is counted, as a device does.
        var isBeside = false
        /// Where in the account it is counted.
        var place: HealthAccount.Place?
    }

    var entries: [Entry] = []

    public var isEmpty: Bool { entries.isEmpty }
}

/// Makes batches. It needs no database, so the next batch can be made while the last is being written.
public struct HealthBatchMaker {
    /// When the data came.
    private let receivedAt: Date
    private var batch = HealthBatch()

    public init(receivedAt: Date) { self.receivedAt = receivedAt }

    /// - Parameter place: where in the account it is counted.
    public mutating func add(_ observation: HealthObservation, countedAt place: HealthAccount.Place? = nil) {
        var content: [UInt8] = []
        content.reserveCapacity(1024)
        observation.write(to: &content)
        let resource = observation.observation.resource
        let record = NewRecord(resource, id: observation.id, subject: observation.subject, content: Data(content))
        add(record, of: resource, place: place)
    }

    /// Adds a resource that is made already: an observation with a structure of its own, a night's summary, a clinical
    /// record.
    ///
    /// - Parameter place: where in the account it is counted.
    /// - Returns: false for what is no resource with an id; it is not taken.
    public mutating func add(_ json: JSON, countedAt place: HealthAccount.Place? = nil) -> Bool {
        guard let object = json.object else { return false }
        let resource = Resource(object)
        guard !resource.resourceType.isEmpty, let id = resource.id, Resource.isID(id) else { return false }
        add(NewRecord(resource, id: id, content: json.data()), of: resource, isRevisable: true, place: place)
        return true
    }

    /// Adds a device, which goes before what it measured.
    public mutating func add(_ device: HealthDevice, subject: String) {
        let json = device.resource(subject: subject)
        guard let object = json.object else { return }
        let record = NewRecord(Resource(object), id: device.resourceID(subject: subject), content: json.data())
        batch.entries.append(HealthBatch.Entry(record: record, isBeside: true))
    }

    private mutating func add(
        _ record: NewRecord, of resource: Resource, isRevisable: Bool = false, place: HealthAccount.Place?
    ) {
        var entry = HealthBatch.Entry(record: record, place: place)
        if record.type == Observation.resourceType {
            entry.loaded = WarehouseEntry(unbounded: resource, id: record.id, form: nil, receivedAt: receivedAt)
            entry.isRevisable = isRevisable
        }
        batch.entries.append(entry)
    }

    /// What was gathered since the last time.
    public mutating func take() -> HealthBatch {
        defer {
            let room = batch.entries.count
            batch = HealthBatch()
            batch.entries.reserveCapacity(room)
        }
        return batch
    }
}
