import FHIR
import FHIRValidation
import Foundation
import HealthData
import Testing
import UCUM

@Suite struct SpecialRecordTests {
    static let start = HealthInstant(seconds: 1_479_137_141, offsetMinutes: -420)
    static let watch = SpecialOrigin(source: HealthSource(product: .appleWatch, version: "4.3.1"))

    @Test(arguments: SpecialKind.allCases) func everyKindHasAnExampleAndEveryExampleIsAValidResource(kind: SpecialKind)
        throws
    {
        let record = try #require(SpecialExamples.example(kind))
        #expect(record.kind == kind)
        #expect(record.timeProblem == nil)
        for subject in [nil, "p1"] {
            let resource = record.resource(subject: subject, device: nil, extensions: [])
            let problems = FHIRValidator().validate(resource).issues.filter { $0.severity != .warning }
            #expect(problems.isEmpty, "\(kind): \(problems)")
            if let subject {
                #expect(resource["id"]?.string == record.id(subject: subject))
                let person = resource["subject"] ?? resource["patient"]
                #expect(person?["reference"]?.string == "Patient/p1")
            }
        }
    }

    @Test func everySpecialTypeHasAnExampleThatIsAValidResource() throws {
        let single: Set<HealthType.Kind> = [.quantity, .category, .correlation, .workout]
        for type in HealthType.all {
            let record = SpecialExamples.example(of: type)
            #expect((record == nil) == single.contains(type.kind), "\(type.identifier)")
            guard let record else { continue }
            #expect(record.kind == SpecialKind(type))
            for subject in [nil, "p1"] {
                let resource = record.resource(subject: subject, device: nil, extensions: [])
                let problems = FHIRValidator().validate(resource).issues.filter { $0.severity != .warning }
                #expect(problems.isEmpty, "\(type.identifier): \(problems)")
            }
        }
    }

    @Test(arguments: SpecialKind.allCases) func everyUnitIsUCUM(kind: SpecialKind) throws {
        let record = try #require(SpecialExamples.example(kind))
        for code in Self.units(record.resource(subject: nil, device: nil, extensions: [])) {
            #expect((try? UCUMUnit(code)) != nil, "\(code)")
        }
    }

    @Test func membersHaveTheUsualOrderWithDeviceAndExtensionsOfTheCaller() throws {
        var record = try #require(SpecialExamples.example(.stateOfMind) as? StateOfMind)
        record.origin.uuid = UUID(uuidString: "5A1C1C7E-0F1A-4B58-9D35-0E4B8F6B2A11")
        record.origin.created = Self.start
        record.origin.wasUserEntered = true
        let resource = record.resource(
            subject: "p1", device: ["reference": "Device/d1"],
            extensions: [["url": "urn:tributary:healthkit-metadata:HKTimeZone", "valueString": "Europe/Paris"]])
        #expect(
            resource.object?.keys == [
                "resourceType", "id", "extension", "identifier", "status", "category", "code", "subject",
                "effectiveDateTime", "issued", "method", "device", "component",
            ])
        #expect(resource.at("device", "reference")?.string == "Device/d1")
        #expect(resource["identifier"]?[0]?["system"]?.string == "com.apple.health")
        #expect(resource["identifier"]?[1]?["value"]?.string == record.fingerprint.text)
        #expect(resource.at("method", "text")?.string == "Entered by hand")
    }

    @Test(arguments: SpecialKind.allCases)
    func theSameContentIsTheSameRecordAndAnotherContentAnotherOne(kind: SpecialKind) throws {
        let record = try #require(SpecialExamples.example(kind))
        #expect(record.fingerprint == SpecialExamples.example(kind)?.fingerprint)
        #expect(record.id(subject: "p1") != record.id(subject: "p2"))
        for other in SpecialKind.allCases where other != kind {
            #expect(record.fingerprint != SpecialExamples.example(other)?.fingerprint)
        }
        let id = try #require(UUID(uuidString: record.id(subject: "p1")))
        #expect(id.uuid.6 >> 4 == 8)
    }

    @Test func implausibleTimesAreAReasonToSkip() throws {
        var record = try #require(SpecialExamples.example(.stateOfMind) as? StateOfMind)
        record.start = HealthInstant(seconds: 253_402_300_799, offsetMinutes: 0)
        #expect(record.timeProblem == .dateOutOfRange)
        let rings = ActivitySummary.Ring(value: SpecialMeasure.minutes.quantity(3))
        #expect(ActivitySummary(day: "2016-02-31", exerciseTime: rings)?.timeProblem == .dateInvalid)
        #expect(ActivitySummary(day: "9999-12-31", exerciseTime: rings)?.timeProblem == .dateOutOfRange)
        #expect(ActivitySummary(day: "2016-02-29", exerciseTime: rings)?.timeProblem == nil)
    }

    @Test func identifyingKindsAreMarked() {
        #expect(SpecialKind.allCases.filter(\.isIdentifying) == [.workoutRoute, .clinicalRecord])
    }

    /// Returns the UCUM codes of all quantities in a resource.
    static func units(_ value: JSON) -> [String] {
        switch value {
        case .array(let elements): return elements.flatMap(units)
        case .object(let object):
            let own = object["system"]?.string == "http://unitsofmeasure.org" ? object["code"]?.string : nil
            return (own.map { [$0] } ?? []) + object.members.flatMap { units($0.value) }
        default: return []
        }
    }
}
