import FHIR
import TestSupport
import Testing

@testable import FHIRVersions

/// Apps may send any content: the result has R4's structure.
@Suite struct MalformedInputTests {
    @Test func scrambledResourcesStillBecomeR4() throws {
        let seed = Seeded.newSeed()
        var random = Seeded(seed)
        let sources = try [
            ContractTests.contract(signer: ContractTests.signer),
            ContractTests.contract(signer: ContractTests.arraySigner), QuestionnaireResponseTests.steps,
            EncounterTests.stay, ValueSetTests.moods, QuestionnaireTests.conditions,
        ].map { try resource($0).json }
        for _ in 0..<100 {
            for source in sources {
                let changed = scrambled(source, &random)
                guard let object = changed.object, object["resourceType"]?.string != nil else { continue }
                for version in [FHIRVersion.dstu2, .stu3] {
                    guard let result = try? FHIRConversion.toR4(Resource(object), from: version) else { continue }
                    #expect(VanishedValues.of(Resource(object), in: result) == [], "\(version) \(changed.text())")
                    // Empty elements are not filled, and invalid texts are kept unchanged.
                    let problems = StructureCheck.problems(result.resource).filter { problem in
                        !["empty", "missing", "date", "instant", "time", "form", "null"].contains {
                            problem.hasSuffix(": " + $0)
                        }
                    }
                    #expect(problems == [], "\(version) \(changed.text())")
                }
            }
        }
    }
}
