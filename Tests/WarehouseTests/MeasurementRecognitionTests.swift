import FHIR
import Foundation
import HealthData
import TestSupport
import Testing

@testable import Warehouse

/// A measurement is recognised by any of its codings and by the usual texts of units.
@Suite struct MeasurementRecognitionTests {
    /// `concept|number|unit`, or `concept|text`, of each fact.
    private func facts(_ json: JSON) throws -> [String] {
        let observation = Observation(try #require(json.object))
        return FactMapping.facts(of: observation, receivedAt: instant("2026-05-01T12:00:00Z")).facts.map { fact in
            switch fact.value {
            case .numeric(let number, _, let units): "\(fact.concept)|\(number)|\(units ?? "-")"
            case .text(let text), .blob(let text): "\(fact.concept)|\(text)"
            }
        }
    }

    private func observation(_ codings: [JSON], quantity: JSON, more: [(String, JSON)] = []) -> JSON {
        var object = JSONObject()
        object["resourceType"] = "Observation"
        object["status"] = "final"
        object["code"] = ["coding": .array(codings)]
        object["effectiveDateTime"] = "2026-03-01T10:00:00+01:00"
        object["valueQuantity"] = quantity
        for (key, value) in more { object[key] = value }
        return .object(object)
    }

    private func loinc(_ code: String) -> JSON { ["system": "http://loinc.org", "code": .string(code)] }

    private func healthKit(_ code: String, _ system: String = HealthCodeSystem.healthKit) -> JSON {
        ["system": .string(system), "code": .string("HKQuantityTypeIdentifier" + code)]
    }

    /// A concept of the ontology has the ontology's code, for each coding that can be sent.
    @Test func eachConceptOfTheOntologyIsReadAsItself() {
        let table = HealthConceptTable.standard
        for concept in table.concepts {
            let codings = concept.codings.map { Coding(system: $0.system, code: $0.code) }
            let reading = table.readings.reading(of: CodeableConcept(coding: codings))
            #expect(reading?.code == concept.conceptCode, "\(concept.identifier)")
            if let measure = reading?.measure { #expect(measure.unit.ucum == concept.ucum, "\(concept.identifier)") }
        }
    }

    @Test func unitsThatDoNotConvertStayText() throws {
        let quantity: JSON = ["value": 70, "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg"]
        let found = FactMapping.facts(
            of: Observation(try #require(observation([loinc("8867-4")], quantity: quantity).object)),
            receivedAt: instant("2026-05-01T12:00:00Z"))
        #expect(found.facts.map(\.value) == [.text("70 kg")])
        #expect(found.facts.map(\.warning) == [.unitNotConvertible])
        for unit in ["floors", "calories", "a lot"] {
            #expect(
                try facts(observation([loinc("55423-8")], quantity: ["value": 3, "unit": .string(unit)])) == [
                    "LOINC:55423-8|3 \(unit)"
                ])
        }
    }

    @Test func glucoseInMillimolesIsConverted() throws {
        let quantity = try JSON(
            parsing: #"{"value":6.1,"unit":"mmol/L","system":"http://unitsofmeasure.org","code":"mmol/L"}"#)
        #expect(try facts(observation([loinc("41653-7")], quantity: quantity)) == ["LOINC:41653-7|109.89509|mg/dL"])
    }

    @Test func componentsAreRecognisedByTheSameRule() throws {
        let quantity: JSON = ["value": 120, "unit": "mmHg", "system": "http://unitsofmeasure.org", "code": "mmHg"]
        let component: JSON = [
            "code": ["coding": [["system": "http://snomed.info/sct", "code": "271649006"]]], "valueQuantity": quantity,
        ]
        let pressure = observation([loinc("85354-9")], quantity: .null, more: [("component", [component])])
        #expect(try facts(pressure) == ["LOINC:8480-6|120.0|mm[Hg]"])
        let other: JSON = [
            "code": ["coding": [healthKit("BloodPressureDiastolic", "com.apple.health")]],
            "valueQuantity": ["value": 10, "unit": "kPa"],
        ]
        #expect(
            try facts(observation([loinc("85354-9")], quantity: .null, more: [("component", [other])])) == [
                "LOINC:8462-4|75.00638|mm[Hg]"
            ])
    }

    /// A percent value is a fraction only where the identifier of a third-party library marks it so.
    @Test func fractionIsRecognisedByTheIdentifierOfItsLibrary() throws {
        func saturation(_ value: String, codings: [JSON], identifier: JSON? = nil) throws -> [String] {
            let quantity = try JSON(
                parsing: #"{"value":\#(value),"unit":"%","system":"http://unitsofmeasure.org","code":"%"}"#)
            return try facts(
                observation(codings, quantity: quantity, more: identifier.map { [("identifier", [$0])] } ?? []))
        }
        let own = [loinc("2708-6"), healthKit("OxygenSaturation")]
        let microsoft = [loinc("2708-6"), healthKit("OxygenSaturation", "com.apple.health")]
        let empty: JSON = ["id": "36F2FCF5-FC5E-480E-BC10-4E3F76E8C848"]
        #expect(try saturation("0.97", codings: microsoft) == ["LOINC:2708-6|97.0|%"])
        #expect(try saturation("0.96", codings: own, identifier: empty) == ["LOINC:2708-6|96.0|%"])
        #expect(try saturation("1", codings: microsoft) == ["LOINC:2708-6|100.0|%"])
        #expect(try saturation("97", codings: microsoft) == ["LOINC:2708-6|97.0|%"])
        #expect(try saturation("0.97", codings: own) == ["LOINC:2708-6|0.97|%"])
        #expect(
            try saturation("0.97", codings: own, identifier: ["system": "urn:x", "value": "1"]) == [
                "LOINC:2708-6|0.97|%"
            ])
        #expect(try saturation("0.97", codings: [loinc("2708-6")], identifier: empty) == ["LOINC:2708-6|0.97|%"])
    }

    /// The template of one value is not used for another value that is interpreted differently.
    @Test func fractionDoesNotUseTheTemplateOfAPercentValue() throws {
        let codings = [healthKit("AtrialFibrillationBurden", "com.apple.health")]
        let quantity: JSON = ["value": 2, "unit": "%", "system": "http://unitsofmeasure.org", "code": "%"]
        let resource = Resource(try #require(observation(codings, quantity: quantity).object))
        #expect(
            WarehouseEntryTemplate(of: resource, health: .standard, receivedAt: instant("2026-05-01T12:00:00Z")) == nil)
    }

    // MARK: Published cases

    private static func cases(_ folder: String) throws -> JSONObject {
        let url = try #require(PublishedData.url("field/phone/\(folder)/observations.json"))
        return try #require(JSON(Array(try Data(contentsOf: url))).object)
    }

    @Test(.enabled(if: PublishedData.url("field") != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func anyCodingOfATypeIsRecognised() throws {
        let found = try Self.cases("41-second-code-of-a-type").members.reduce(into: [String: [String]]()) {
            $0[$1.key] = try facts($1.value)
        }
        #expect(
            found == [
                "both-2708-first": ["LOINC:2708-6|97.0|%"], "both-59408-first": ["LOINC:2708-6|96.0|%"],
                "59408-only": ["LOINC:2708-6|95.0|%"], "59408-and-hk": ["LOINC:2708-6|94.0|%"],
                "weight-snomed-first": ["LOINC:29463-7|71.0|kg"], "steps-text-unit": ["LOINC:55423-8|421.0|{steps}"],
                "steps-text-count": ["LOINC:55423-8|422.0|{steps}"], "heart-text-bpm": ["LOINC:8867-4|61.0|/min"],
                "energy-kj": ["LOINC:41981-2|119.50287|kcal"], "temp-F": ["LOINC:8310-5|37.0|Cel"],
                "pct-glucose-mmol": ["LOINC:41653-7|109.89509|mg/dL"], "waist-snomed": ["LOINC:8280-0|80.0|cm"],
            ])
    }

    @Test(.enabled(if: PublishedData.url("field") != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func observationsOfTheSeedsLibrariesAreOfTheirTypes() throws {
        let found = try Self.cases("40-observations-of-the-seed").members.reduce(into: [String: [String]]()) {
            $0[$1.key] = try facts($1.value)
        }
        #expect(
            found == [
                "ms-heart": ["LOINC:8867-4|61.0|/min"], "ms-spo2": ["LOINC:2708-6|97.0|%"],
                "ms-steps": ["LOINC:55423-8|420.0|{steps}"], "ms-temp": ["LOINC:8310-5|37.1|Cel"],
                "bdhg-steps": ["LOINC:55423-8|421.0|{steps}"], "bdhg-spo2": ["LOINC:2708-6|96.0|%"],
            ])
    }
}
