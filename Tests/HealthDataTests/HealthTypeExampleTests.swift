import FHIR
import FHIRValidation
import Foundation
import HealthData
import Testing

@Suite struct HealthTypeExampleTests {
    @Test func everyTypeHasAnExampleThatIsValidR4() throws {
        let validator = FHIRValidator()
        var ids: Set<String> = []
        for type in HealthType.all {
            let example = try #require(type.example(), "\(type.identifier)")
            let problems = validator.validate(example).issues.filter { $0.severity != .warning }
            #expect(problems.isEmpty, "\(type.identifier): \(problems)")
            let name = "\(example["resourceType"]?.string ?? "")/\(example["id"]?.string ?? "")"
            #expect(ids.insert(name).inserted, "\(type.identifier) has the id of another")
        }
    }

    @Test func exampleHasTheTypesCodesCategoryAndUnitAndTheSubject() throws {
        for type in HealthType.all where type.kind != .clinicalRecord {
            let example = try #require(type.example(subject: "p9"))
            let shown = type.correlation.flatMap(HealthType.named) ?? type
            #expect(example["resourceType"]?.string == "Observation")
            #expect(example.at("subject", "reference")?.string == "Patient/p9")
            #expect(
                example.at("code", "coding")?.array?.compactMap { $0["code"]?.string } == shown.codings.map(\.code),
                "\(type.identifier)")
            let category = example["category"]?[0]?["coding"]?[0]?["code"]?.string
            #expect(category == shown.category.rawValue)
            #expect(example.at("valueQuantity", "code")?.string == shown.unit?.ucum)
            if type.valueKind == .event { #expect(example["valueBoolean"]?.bool == true) }
        }
        let saturation = HealthType.named("OxygenSaturation")?.example()
        #expect(saturation?.at("valueQuantity", "value")?.number?.text == "97")
        #expect(HealthType.named("StepCount")?.example()?["effectivePeriod"] != nil)
        let food = HealthType.named("Food")?.example()
        #expect(food?["component"]?.array?.count == 39)
    }

    @Test func theJSONOfATypeHasAllThatTheRowHas() throws {
        let row = try #require(HealthType.named("OxygenSaturation")).json
        #expect(row["identifier"]?.string == "HKQuantityTypeIdentifierOxygenSaturation")
        #expect(row.at("unit", "scale")?.integer == 100)
        #expect(row.at("unit", "healthKit")?.string == "%")
        #expect(row.at("plausible", "low")?.number?.text == "50")
        #expect(row.at("message", "valueKey")?.string == "oxygenSaturation")
        let cycle = try #require(HealthType.named("MenstrualFlow")).json
        #expect(cycle["options"]?.array?.count == 5)
        #expect(cycle["components"]?[0]?["identifier"]?.string == "HKMenstrualCycleStart")
        for type in HealthType.all {
            for name in ["kind", "title", "folder", "category", "codings", "valueKind", "aggregation", "example"] {
                #expect(type.json[name] != nil, "\(type.identifier).\(name)")
            }
        }
    }

    @Test func thePageNamesEveryTypeAndEveryKeyOfMetadata() throws {
        let page = try Self.page()
        for type in HealthType.all { #expect(page.contains("`\(type.shortName)`"), "\(type.identifier)") }
        for key in HealthMetadataKey.all { #expect(page.contains("`\(key.key)`")) }
    }

    @Test func supplementOnThePageIsValid() throws {
        let page = try Self.page()
        let start = try #require(page.firstRange(of: "```json\n")?.upperBound)
        let end = try #require(page[start...].firstRange(of: "```")?.lowerBound)
        let table = try HealthTypeTable.standard.applying(supplement: JSON(parsing: String(page[start..<end])))
        #expect(table.named("Weight")?.unit?.ucum == "[lb_av]")
        #expect(table.type("org.example.grip-strength")?.example() != nil)
    }

    private static func page() throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent("docs/health-types.md"), encoding: .utf8)
    }
}
