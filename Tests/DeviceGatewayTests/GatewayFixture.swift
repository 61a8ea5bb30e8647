import AccessPolicy
import Audit
import Core
import FHIR
import Foundation
import RecordStorage
import Storage
import StorageTestSupport
import Synchronization

@testable import DeviceGateway

/// A gateway with its own store and an admission that the test controls.
struct GatewayFixture: Sendable {
    let database: any SQLDatabase
    let admission = TestAdmission()
    let clock = Clock()
    let templates: GatewayTemplates

    /// The time of the gateway in milliseconds since 1970.
    final class Clock: Sendable {
        private let milliseconds = Mutex<Int64>(1_800_000_000_000)
        var now: Date { Date(timeIntervalSince1970: Double(milliseconds.withLock { $0 }) / 1000) }
        func pass(_ count: Int64) { milliseconds.withLock { $0 += count } }
    }

    /// Validation and consent as the test sets them.
    final class TestAdmission: RecordAdmission, WriteAdmission {
        private let admissions = Mutex<[String: DataAdmission]>([:])
        private let followed = Mutex<[String]>([])
        private let interruptions = Mutex<[@Sendable (any SQLTransaction) throws -> Void]>([])

        /// Runs another write at the beginning of the next writing transaction.
        func interrupt(_ write: @escaping @Sendable (any SQLTransaction) throws -> Void) {
            interruptions.withLock { $0.append(write) }
        }

        func set(_ value: DataAdmission, of participant: String) { admissions.withLock { $0[participant] = value } }
        var changes: [String] { followed.withLock { $0 } }

        func begin(at: Date) async -> any WriteAdmission { self }
        func admit(_ resource: Resource, id: String) throws(RecordAdmissionError) -> AdmittedResource {
            guard !String(decoding: resource.json.data(), as: UTF8.self).contains("\"value\":666") else {
                throw RecordAdmissionError(.rule, code: "rule-broken", message: "It breaks a rule.")
            }
            return AdmittedResource(resource)
        }
        func permit(_ participants: Set<String>, type: String, id: String, in transaction: any SQLTransaction) throws {}
        func dataAdmission(of participant: String, in transaction: any SQLTransaction) throws -> DataAdmission {
            try interruptions.withLock { $0.popLast() }?(transaction)
            return admissions.withLock { $0[participant] } ?? .admitted
        }
        func follow(_ changes: [RecordChange], submissionID: String, in transaction: any SQLTransaction) throws {
            followed.withLock { $0 += changes.map(\.id) }
        }
    }

    static func with(_ body: (GatewayFixture) async throws -> Void) async throws {
        try await withTemporaryDatabase(
            [.baseline(of: "records", AccessSchema.sections + RecordsSchema.sections + GatewaySchema.sections)]
        ) { try await body(GatewayFixture(database: $0)) }
    }

    private init(database: any SQLDatabase) throws {
        self.database = database
        func content(_ type: String, _ values: [String]) -> JSON {
            [
                "templateType": "JsonPathContent",
                "template": [
                    "typeName": .string(type), "typeMatchExpression": .string("$..[?(@\(values[0]))]"),
                    "deviceIdExpression": "$.device", "timestampExpression": "$.at", "correlationIdExpression": "$.set",
                    "values": .array(
                        values.map {
                            ["required": true, "valueName": .string($0), "valueExpression": .string("$.\($0)")]
                        }),
                ],
            ]
        }
        func mapping(_ type: String, interval: Int, value: JSON) -> JSON {
            [
                "templateType": "CodeValueFhir",
                "template": [
                    "typeName": .string(type), "periodInterval": .number(JSONNumber(interval)),
                    "codes": [["system": "http://loinc.org", "code": "1-8"]], "value": value,
                ],
            ]
        }
        func quantity(_ name: String) -> JSON { ["valueType": "Quantity", "valueName": .string(name), "unit": "kg"] }
        templates = try GatewayTemplates(
            device: [
                "templateType": "CollectionContent",
                "template": [content("weight", ["kg"]), content("rate", ["hr"]), content("set", ["one"])],
            ],
            fhir: [
                "templateType": "CollectionFhir",
                "template": [
                    mapping("weight", interval: 0, value: quantity("kg")),
                    mapping(
                        "rate", interval: 60,
                        value: [
                            "valueType": "SampledData", "valueName": "hr", "defaultPeriod": 60_000, "unit": "/min",
                        ]),
                    mapping("set", interval: -1, value: quantity("one")),
                ],
            ])
    }

    var audit: AuditLog { AuditLog(database: database, clock: { [clock] in clock.now }) }

    var recorder: GatewayRecorder {
        GatewayRecorder(
            database: database, audit: audit, admission: admission, templates: { [templates] in templates },
            clock: { [clock] in clock.now })
    }

    /// Passes events to a hub.
    @discardableResult
    func take(_ events: [String], hub: String = "h") async throws -> Bool {
        let now = clock.now
        return try await database.write { transaction in
            if try DeviceHub.named(hub, in: transaction) == nil {
                let secret = try HubSecret(String(repeating: "ab", count: 32))
                _ = try DeviceHub(hub, at: "https://example.org").makeKey(from: secret, at: now, in: transaction)
            }
            let text = "[" + events.map { "{\"Body\":\($0)}" }.joined(separator: ",") + "]"
            let incoming = try IncomingEvents(Data(text.utf8), isBatch: true)
            return try GatewayEvents(transaction: transaction).add(incoming.events, to: hub, at: now)
        }
    }

    /// Registers a device for a participant, who has a Patient.
    func register(_ device: String, of participant: String) async throws {
        let (audit, now) = (audit, clock.now)
        let registration = try DeviceRegistration(device: device, participant: participant)
        try await database.write { transaction in
            let patient = Patient(id: participant).resource
            _ = try RecordStore().put(
                patient, content: patient.json.data(), original: nil, id: participant,
                provenance: RecordProvenance(submissionID: "s", clientID: "c", keyID: nil, receivedAt: now), at: now,
                in: transaction)
            try registration.register(
                by: Actor(id: "a", role: .site), audit: audit, submissionID: "r", at: now, in: transaction)
        }
    }

    /// Stores a resource as a phone does.
    func put(_ resource: Resource, id: String) async throws {
        let now = clock.now
        try await database.write { transaction in
            _ = try RecordStore().put(
                resource, content: resource.json.data(), original: nil, id: id,
                provenance: RecordProvenance(submissionID: "s", clientID: "phone", keyID: nil, receivedAt: now),
                at: now, in: transaction)
        }
    }

    func work() async throws { try await recorder.work() }

    func status() async throws -> GatewayStatus { try await database.read { try GatewayStatus(in: $0) } }

    /// Returns the values of the stored Observations with their status.
    func values() async throws -> [String] {
        try await database.read { transaction in
            try RecordStore().present(after: 0, limit: 1000, in: transaction).compactMap { record in
                guard record.record.type == "Observation", let resource = try? Resource(record.record.content) else {
                    return nil
                }
                let observation = Observation(resource.object)
                let value =
                    switch observation.value {
                    case .quantity(let quantity): quantity.value?.text ?? ""
                    case .sampledData(let data): data.data?.replacingOccurrences(of: " E", with: "") ?? ""
                    default: ""
                    }
                return "\(record.subject ?? "-") \(value) \(observation.status?.rawValue ?? "")"
            }.sorted()
        }
    }
}
