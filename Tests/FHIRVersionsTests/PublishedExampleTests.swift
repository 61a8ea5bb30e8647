import FHIR
import Foundation
import TestSupport
import Testing

@testable import FHIRVersions

/// HL7's own examples.
@Suite(.enabled(if: PublishedExamples.isThere, "TRIBUTARY_CONFORMANCE names no folder"))
struct PublishedExampleTests {
    @Test(arguments: [FHIRVersion.dstu2, .stu3])
    func everyExampleBecomesR4(version: FHIRVersion) throws {
        var count = 0
        for (name, resource) in try PublishedExamples.older(version) {
            count += 1
            let result = try FHIRConversion.toR4(resource, from: version)
            let problems = StructureCheck.problems(result.resource)
            #expect(problems == [], "\(name)")
            #expect(VanishedValues.of(resource, in: result) == [], "\(name)")
            #expect(FHIRVersion.candidates(of: resource).contains(version), "\(name)")
        }
        #expect(count > 60)
    }

    @Test(arguments: [FHIRVersion.dstu2, .stu3])
    func noValueOfADamagedExampleVanishes(version: FHIRVersion) throws {
        let seed = Seeded.newSeed()
        var random = Seeded(seed)
        let rounds = ProcessInfo.processInfo.environment["TRIBUTARY_ROUNDS"].flatMap { Int($0) } ?? 10
        for (name, resource) in try PublishedExamples.older(version) + PublishedExamples.inner(version) {
            guard resource.json.text().count < 20_000 else { continue }
            for _ in 0..<rounds {
                guard let object = scrambled(resource.json, &random).object, object["resourceType"] != nil else {
                    continue
                }
                let damaged = Resource(object)
                let result = try FHIRConversion.toR4(damaged, from: version)
                #expect(VanishedValues.of(damaged, in: result) == [], "\(name) \(damaged.json.text())")
            }
        }
    }

    @Test func theCheckAcceptsR4sOwnExamplesAndRefusesOlderOnes() throws {
        for (name, resource) in try PublishedExamples.r4()
        where FHIRConversion.resourceTypes.contains(resource.resourceType) {
            // Published with items that have no linkId.
            if name == "Questionnaire-qs1.json" { continue }
            #expect(StructureCheck.problems(resource) == [], "\(name)")
            #expect(FHIRVersion.of(resource, label: "R4") == .r4, "\(name)")
        }
        let response = try PublishedExamples.older(.dstu2)
            .filter { $0.resource.resourceType == "QuestionnaireResponse" }
        #expect(response.allSatisfy { !StructureCheck.problems($0.resource).isEmpty } && !response.isEmpty)
    }
}
