import FHIR
import Foundation
import HealthData
import Testing

@Suite struct SpecialClinicalRecordTests {
    static let text = """
        {"resourceType":"DiagnosticReport","id":"r1","status":"final","category":[{"text":"Lab"}],"code":{"text":"Lipids"},\
        "subject":{"reference":"Patient/77","display":"Robin Example","identifier":{"value":"MRN 5"}},\
        "performer":[{"reference":"https://elsewhere.example/Practitioner/9"}],\
        "result":[{"reference":"Observation/o1","display":"HDL"},{"reference":"https://h.example/r4/Observation/o2"}],\
        "contained":[{"resourceType":"Specimen","id":"s"}],"specimen":[{"reference":"#s"}],\
        "futureMember":{"kept":1.500}}
        """

    static func record(_ text: String = text, version: String? = "4.0.1", server: String = "h.example") throws
        -> ClinicalRecord
    {
        let json = try JSON(parsing: text)
        let type = json["resourceType"]?.string ?? ""
        return try #require(
            ClinicalRecord(json, version: version, url: "https://\(server)/r4/\(type)/\(json["id"]?.string ?? "")"))
    }

    @Test func recordWithoutASubjectIsUnchanged() throws {
        #expect(try Self.record().resource(subject: nil, device: nil, extensions: []).text() == Self.text)
    }

    @Test func recordWithASubjectRefersToItAndHasNoNames() throws {
        let resource = try Self.record().resource(subject: "p1", device: nil, extensions: [])
        #expect(resource["subject"] == ["reference": "Patient/p1"])
        #expect(!resource.text().contains("Robin"))
        #expect(!resource.text().contains("MRN 5"))
        #expect(resource.at("futureMember", "kept")?.number?.text == "1.500")
        #expect(resource["specimen"]?[0]?["reference"]?.string == "#s")
        #expect(resource["performer"]?[0]?["reference"]?.string == "https://elsewhere.example/Practitioner/9")
        #expect(resource["identifier"] == [["system": "urn:tributary:clinical-record-id", "value": "r1"]])
    }

    @Test func theLinksBetweenTheRecordsOfOneHospitalStayAndTwoHospitalsDoNotMeet() throws {
        let report = try Self.record().resource(subject: "p1", device: nil, extensions: [])
        func observation(_ id: String, _ server: String = "h.example") throws -> String {
            try Self.record("{\"resourceType\":\"Observation\",\"id\":\"\(id)\",\"note\":[]}", server: server)
                .id(subject: "p1")
        }
        #expect(report["result"]?[0]?["reference"]?.string == "Observation/" + (try observation("o1")))
        #expect(report["result"]?[1]?["reference"]?.string == "Observation/" + (try observation("o2")))
        #expect(try observation("o1") != observation("o1", "other.example"))
        #expect(report["result"]?[0]?["display"]?.string == "HDL")
    }

    @Test func referenceBetweenRecordsOfDSTU2HasTheTypeOfR4() throws {
        let order = try Self.record(#"{"resourceType":"MedicationOrder","id":"m1"}"#, version: "1.0.2")
        let statement = try Self.record(#"{"resourceType":"MedicationDispense","id":"d1"}"#, version: "1.0.2")
        // Under either name: a conversion may update references or leave them.
        let made: JSON = [
            "resourceType": "MedicationDispense",
            "authorizingPrescription": [["reference": "MedicationOrder/m1"], ["reference": "MedicationRequest/m1"]],
        ]
        let dispense = try #require(statement.converted(toR4: made)).resource(
            subject: "p1", device: nil, extensions: [])
        let request = try #require(order.converted(toR4: ["resourceType": "MedicationRequest"])).resource(
            subject: "p1", device: nil, extensions: [])
        let reference: JSON = ["reference": .string("MedicationRequest/" + (request["id"]?.string ?? ""))]
        #expect(dispense["authorizingPrescription"] == [reference, reference])
    }

    @Test func laterRecordReplacesTheEarlierOneWithOtherContent() throws {
        let first = try Self.record()
        let second = try Self.record(Self.text.replacing("final", with: "amended"))
        #expect(first.fingerprint != second.fingerprint)
        #expect(first.id(subject: "p1") == second.id(subject: "p1"))
        let without = try Self.record("{\"resourceType\":\"Observation\",\"status\":\"final\"}")
        #expect(without.resourceFingerprint == without.fingerprint)
    }

    @Test func dstu2IsStoredUnchangedInADocumentUntilItIsConverted() throws {
        let text =
            #"{"resourceType":"Immunization","id":"i1","wasNotGiven":false,"patient":{"reference":"Patient/77"}}"#
        let record = try Self.record(text, version: "1.0.2")
        #expect(record.release == .dstu2)
        let document = record.resource(subject: "p1", device: nil, extensions: [])
        #expect(document["resourceType"]?.string == "DocumentReference")
        let attachment = document["content"]?[0]?["attachment"]
        #expect(attachment?["contentType"]?.string == "application/fhir+json;fhirVersion=1.0")
        let data = try #require(attachment?["data"]?.string.flatMap { Data(base64Encoded: $0) })
        #expect(String(decoding: data, as: UTF8.self) == text)
        #expect(document["subject"] == ["reference": "Patient/p1"])
        let made: JSON = [
            "resourceType": "Immunization", "id": "i1", "status": "completed", "patient": ["reference": "Patient/77"],
        ]
        let converted = try #require(record.converted(toR4: made))
        #expect(converted.fingerprint == record.fingerprint)
        let resource = converted.resource(subject: "p1", device: nil, extensions: [])
        #expect(resource["status"]?.string == "completed")
        #expect(resource["patient"] == ["reference": "Patient/p1"])
        #expect(resource["id"]?.string == record.id(subject: "p1"))
    }

    @Test(
        arguments: [
            (#"{"resourceType":"Observation","category":[]}"#, nil, ClinicalRecord.Release.r4),
            (#"{"resourceType":"Observation","category":{}}"#, nil, .dstu2),
            (#"{"resourceType":"Observation","category":{}}"#, "4.0.1", .r4),
            (#"{"resourceType":"Observation","category":[]}"#, "1.0.2", .dstu2),
            (#"{"resourceType":"Observation","category":[]}"#, "", .r4),
            (#"{"resourceType":"Observation"}"#, nil, .unknown),
            (#"{"resourceType":"Observation"}"#, "3.0.1", .unknown),
            (#"{"resourceType":"MedicationOrder"}"#, nil, .dstu2), (#"{"resourceType":"MedicationRequest"}"#, nil, .r4),
            (#"{"resourceType":"Condition","patient":{}}"#, nil, .dstu2),
            (#"{"resourceType":"Condition","clinicalStatus":{}}"#, nil, .r4),
            (#"{"resourceType":"AllergyIntolerance","substance":{}}"#, nil, .dstu2),
            (#"{"resourceType":"Immunization","occurrenceDateTime":"2020"}"#, nil, .r4),
        ] as [(String, String?, ClinicalRecord.Release)])
    func releaseIsTheNamedOneOrThatOfTheElements(
        text: String, version: String?, release: ClinicalRecord.Release
    ) throws {
        #expect(try Self.record(text, version: version).release == release)
    }

    @Test func invalidResourceIsNotARecord() throws {
        for text in ["{}", "[]", "1", #"{"resourceType":5}"#, #"{"resourceType":"../etc"}"#, #"{"resourceType":""}"#] {
            #expect(ClinicalRecord(try JSON(parsing: text)) == nil, "\(text)")
        }
    }
}
