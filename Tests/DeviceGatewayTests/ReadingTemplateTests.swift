import Audit
import Core
import FHIR
import Foundation
import StorageTestSupport
import TestSupport
import Testing

@testable import DeviceGateway
@testable import RecordStorage
@testable import Storage

/// A template gives the same Observation as full processing.
@Suite struct ReadingTemplateTests {
    /// An admission that accepts Observations of an admitted form without further checks.
    private struct TemplateAdmission: WriteAdmission, AdmissionTemplate {
        let fixture = GatewayFixture.TestAdmission()
        func admit(_ resource: Resource, id: String) throws(RecordAdmissionError) -> AdmittedResource {
            AdmittedResource(resource, prepared: "looked into")
        }
        func template(of admitted: AdmittedResource) -> (any AdmissionTemplate)? { self }
        func prepared(_ values: ObservationValues) -> (any Sendable)? { "pattern" }
        func permit(_ participants: Set<String>, type: String, id: String, in transaction: any SQLTransaction) throws {}
        func dataAdmission(of participant: String, in transaction: any SQLTransaction) throws -> DataAdmission {
            .admitted
        }
        func follow(_ changes: [RecordChange], submissionID: String, in transaction: any SQLTransaction) throws {}
    }

    private func template(_ code: String?) throws -> FHIRTemplate {
        var value: JSON = ["valueType": "Quantity", "valueName": "kg", "unit": "kg"]
        if let code {
            value = [
                "valueType": "Quantity", "valueName": "kg", "unit": .string(code),
                "system": "http://unitsofmeasure.org",
                "code": .string(code),
            ]
        }
        let templates = try FHIRTemplates([
            "templateType": "CollectionFhir",
            "template": [
                [
                    "templateType": "CodeValueFhir",
                    "template": [
                        "typeName": "weight", "periodInterval": 0,
                        "codes": [["system": "http://loinc.org", "code": "29463-7"]], "value": value,
                    ],
                ]
            ],
        ])
        return try #require(templates.template("weight"))
    }

    private static let numbers = [
        "0", "72", "-0", "-3.50", "0.5", "98.60", "1e3", "123456789012345678", "0.000001", "99999999999999", "5.",
    ]
    private static let devices = ["scale", "sc\"ale", "wäge"]
    private static let times = [
        "2026-03-01T08:00:00Z", "2026-03-01T08:00:00.5Z", "2026-03-01T09:00:00.1234567+01:00", "1899-12-31T23:59:59Z",
        "2026-02-28T23:59:59.999Z",
    ]

    @Test func templateGivesTheSameObservationAsFullProcessing() throws {
        var random = Seeded.fresh()
        let admission = TemplateAdmission()
        var templated = 0
        for code in ["kg", "dB[SPL]", "Cel", nil, "/min"] {
            let template = try template(code)
            var templates = ReadingTemplates()
            for number in 0..<300 {
                // The first reading of each device becomes the template of the others, so it is a plain one.
                let isFirst = number < Self.devices.count
                let device = isFirst ? Self.devices[number] : Self.devices.randomElement(using: &random) ?? ""
                let offset = Int64.random(in: 0..<4_000_000_000, using: &random)
                let known = Self.times.randomElement(using: &random).flatMap(MeasurementTime.init)
                let time = try #require(
                    isFirst
                        ? MeasurementTime(Self.times[0])
                        : Bool.random(using: &random) ? known : MeasurementTime(ticks: offset * 10_000_000))
                let value = isFirst ? "72" : Self.numbers.randomElement(using: &random) ?? ""
                let measurement = Measurement(
                    type: "weight", occurrence: time, deviceID: device, patientID: "p1",
                    encounterID: number % 50 == 49 ? "e1" : nil, correlationID: nil,
                    properties: [.init(name: "kg", value: value)])
                guard let group = MeasurementGroup(template, [measurement]) else { continue }
                let bucket = ObservationBucket(
                    id: group.id, identifier: group.identifier, participant: "p1", device: "d1", template: template)
                let new = [GatewayMeasurements.Numbered(event: 1, measurement: measurement)]
                var none = ReadingTemplates()
                let whole = try? bucket.made(with: new, admission, &none)
                let quick = try? bucket.made(with: new, admission, &templates)
                let (mine, theirs) = (quick?.record, whole?.record)
                let what = Comment("\(code ?? "-") \(value) \(time) \(device)")
                #expect(mine?.content == theirs?.content, what)
                #expect(mine?.digest == theirs?.digest && mine?.subject == theirs?.subject, what)
                #expect(mine?.time == theirs?.time && mine?.protection == theirs?.protection, what)
                #expect(Set(mine?.entries ?? []) == Set(theirs?.entries ?? []), what)
                if quick?.prepared as? String == "pattern" { templated += 1 }
            }
        }
        #expect(templated > 100)
    }
}
