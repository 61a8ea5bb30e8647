import FHIR
import Foundation
import HealthData
import Records

/// What is ready to be stored: observations, with their facts, and clinical records, which have none.
public struct HealthBatch: Sendable {
    struct Entry: Sendable {
        let record: NewRecord
        let facts: PreparedFacts
        /// The concepts that the facts use.
        let concepts: [ConceptUse]
        /// Whether it is not named by its content, as the summary of a day: it may come again with more in it.
        var isRevisable = false
        /// Where in the account it is counted.
        var place: HealthAccount.Place?
    }

    /// A resource that is no observation.
    struct Other: Sendable {
        let type: String
        let record: NewRecord
        /// Where in the account it is counted.
        let place: HealthAccount.Place?
    }

    var entries: [Entry] = []
    var others: [Other] = []
    /// Devices that the observations name.
    var devices: [NewRecord] = []

    public var isEmpty: Bool { entries.isEmpty && others.isEmpty && devices.isEmpty }
}

/// Makes batches. It needs no database, so the next batch can be made while the last is being written.
public struct HealthBatchMaker {
    /// When the data came.
    private let receivedAt: Date
    private var mapping = HealthFactMapping()
    private var batch = HealthBatch()

    public init(receivedAt: Date) { self.receivedAt = receivedAt }

    /// - Parameter place: where in the account it is counted.
    public mutating func add(_ observation: HealthObservation, countedAt place: HealthAccount.Place? = nil) {
        var content: [UInt8] = []
        content.reserveCapacity(1024)
        observation.write(to: &content)
        let (record, facts) = mapping.map(observation, content: content, receivedAt: receivedAt)
        add(record, facts, place: place)
    }

    /// Adds a resource that is made already: an observation with a structure of its own, a night's summary, a clinical
    /// record.
    ///
    /// - Parameter place: where in the account it is counted.
    /// - Returns: false for what is no resource with an id; it is not taken.
    public mutating func add(_ json: JSON, countedAt place: HealthAccount.Place? = nil) -> Bool {
        guard let object = json.object else { return false }
        let resource = StorableText.resource(Resource(object))
        guard !resource.resourceType.isEmpty, let id = resource.id, Resource.isID(id) else { return false }
        guard resource.resourceType == Observation.resourceType else {
            batch.others.append(
                HealthBatch.Other(
                    type: resource.resourceType, record: NewRecord(resource, id: id, content: resource.json.data()),
                    place: place))
            return true
        }
        let facts = FactMapping.facts(of: Observation(resource.object), receivedAt: receivedAt)
        add(NewRecord(resource, id: id, content: json.data()), facts, isRevisable: true, place: place)
        return true
    }

    /// Adds a device, which goes before what it measured.
    public mutating func add(_ device: HealthDevice, subject: String) {
        let json = device.resource(subject: subject)
        guard let object = json.object else { return }
        batch.devices.append(
            NewRecord(Resource(object), id: device.resourceID(subject: subject), content: json.data()))
    }

    private mutating func add(
        _ record: NewRecord, _ facts: FactSet, isRevisable: Bool = false, place: HealthAccount.Place?
    ) {
        let ide = Observation.resourceType + "/" + record.id
        batch.entries.append(
            HealthBatch.Entry(
                record: record, facts: PreparedFacts(ide: ide, facts: facts.facts, time: facts.time),
                concepts: facts.concepts, isRevisable: isRevisable, place: place))
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
