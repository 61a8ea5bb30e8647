import FHIR
import TestSupport
import Testing

@testable import FHIRVersions

/// What a conversion costs grows with the resource and no faster, whatever the resource is made of.
@Suite(.serialized) struct ConversionCostTests {
    static let types: [(FHIRVersion, String)] =
        [
            "QuestionnaireResponse", "Questionnaire", "Observation", "Patient", "Contract", "ValueSet", "Bundle",
            "Encounter", "StructureDefinition", "Condition",
        ].flatMap { [(FHIRVersion.dstu2, $0), (.stu3, $0)] }

    private func check(_ what: String, _ version: FHIRVersion, from size: Int = 200, _ make: (Int) -> Resource) throws {
        let growth = try Growth.of(from: size, make) { _ = try FHIRConversion.toR4($0, from: version) }
        print("\(version) \(what) \(growth)")
        #expect(growth.factor <= 6, "\(version) \(what)")
    }

    private func made(_ json: JSON) -> Resource { Resource(json.object ?? JSONObject()) }

    private func items(_ count: Int, _ make: (Int) -> JSON) -> JSON { .array((0..<count).map(make)) }

    @Test(arguments: types)
    func everyRepeatedElementOfAType(_ version: FHIRVersion, _ type: String) throws {
        try check(type, version, from: 16) { count in
            var wide = WideResources(version == .dstu2 ? .dstu2 : .stu3, count: count)
            return wide.resource(type)
        }
    }

    @Test func questionsOfResponses() throws {
        func response(_ question: @escaping (Int) -> JSON) -> (Int) -> Resource {
            { count in
                made([
                    "resourceType": "QuestionnaireResponse", "group": ["question": items(count, question)],
                ])
            }
        }
        let answer: JSON = [["valueString": "x"]]
        try check("questions", .dstu2, response { ["linkId": .string("q\($0)"), "answer": answer] })
        try check("one question", .dstu2, response { _ in ["linkId": "q", "answer": answer] })
        try check("questions without linkId", .dstu2, response { _ in ["answer": answer] })
        try check("groups", .dstu2) { count in
            made([
                "resourceType": "QuestionnaireResponse",
                "group": ["group": items(count) { ["question": [["linkId": .string("q\($0)"), "answer": answer]]] }],
            ])
        }
        try check("items", .stu3) { count in
            made([
                "resourceType": "QuestionnaireResponse",
                "item": items(count) { ["linkId": .string("q\($0)"), "answer": answer] },
            ])
        }
        try check("items without linkId", .stu3) { count in
            made(["resourceType": "QuestionnaireResponse", "item": items(count) { _ in ["answer": answer] }])
        }
    }

    @Test func questionsOfForms() throws {
        try check("questions", .dstu2) { count in
            made([
                "resourceType": "Questionnaire", "status": "draft",
                "group": ["question": items(count) { ["text": .string("q\($0)"), "type": "string"] }],
            ])
        }
        try check("options that are selected", .stu3) { count in
            made([
                "resourceType": "Questionnaire", "status": "draft",
                "item": [
                    [
                        "linkId": "q", "type": "choice",
                        "option": items(count) { ["valueString": .string("o\($0)")] },
                        "initial": items(count) { ["valueString": .string("o\(count - 1 - $0)")] },
                    ]
                ],
            ])
        }
        try check("answers of a condition", .stu3) { count in
            var condition: JSON = [
                "question": "q", "extension": items(count) { ["url": .string("http://x/\($0)")] },
            ]
            for place in 0..<count { condition["answerX\(place)"] = "x" }
            return made([
                "resourceType": "Questionnaire", "status": "draft",
                "item": [["linkId": "q", "type": "string", "enableWhen": [condition]]],
            ])
        }
    }

    @Test func namesThatAreGivenOnce() throws {
        try check("contained code systems", .dstu2) { count in
            let set: JSON = [
                "resourceType": "ValueSet", "status": "draft",
                "codeSystem": ["system": "http://x", "concept": [["code": "a"]]],
            ]
            return made(["resourceType": "Patient", "contained": items(count) { _ in set }])
        }
        try check("slices", .dstu2) { count in
            made([
                "resourceType": "StructureDefinition",
                "snapshot": ["element": items(count) { _ in ["path": "Patient.name", "name": "s"] }],
            ])
        }
        try check("types", .dstu2) { count in
            made([
                "resourceType": "StructureDefinition",
                "snapshot": [
                    "element": [
                        [
                            "path": "Patient.name",
                            "type": items(count) { ["code": "HumanName", "profile": [.string("http://x/\($0)")]] },
                        ]
                    ]
                ],
            ])
        }
    }

    @Test func membersThatNoReleaseHas() throws {
        for version in [FHIRVersion.dstu2, .stu3] {
            try check("members", version) { count in
                var object: JSON = ["resourceType": "Observation"]
                for place in 0..<count {
                    object["name\(place)"] = "x"
                    object["_valueX\(place)"] = ["id": "x"]
                }
                return made(object)
            }
            try check("entries with other names", version) { count in
                let entry: (Int) -> JSON = {
                    [
                        "fullUrl": .string("http://x/ReferralRequest/\($0)"),
                        "resource": ["resourceType": "ReferralRequest", "id": .string("\($0)"), "status": "active"],
                    ]
                }
                return made(["resourceType": "Bundle", "type": "transaction", "entry": items(count, entry)])
            }
        }
    }

    @Test func aSearchForTheTypeInAnURLIsShort() throws {
        try check("type of an entry", .dstu2, from: 2000) { count in
            let name = String(repeating: "a", count: count)
            return made([
                "resourceType": "Bundle",
                "entry": [
                    [
                        "fullUrl": .string("http://x/" + String(repeating: "/" + name.dropLast(), count: 8)),
                        "resource": ["resourceType": .string(name)],
                    ]
                ],
            ])
        }
    }

    @Test func aBudgetEndsTheConversionOfWhatIsTooLarge() throws {
        let response = made([
            "resourceType": "QuestionnaireResponse",
            "group": ["question": items(1000) { ["linkId": .string("q\($0)"), "answer": [["valueString": "x"]]] }],
        ])
        let budget = StepBudget(steps: 1_000_000)
        let whole = try FHIRConversion.toR4(response, from: .dstu2, budget: budget)
        #expect(whole == (try FHIRConversion.toR4(response, from: .dstu2)))
        #expect((3000...50000).contains(budget.spent), "\(budget.spent)")
        let exact = StepBudget(steps: budget.spent)
        #expect(try FHIRConversion.toR4(response, from: .dstu2, budget: exact) == whole)
        for limit in [0, 1, 10, 500, budget.spent - 1] {
            #expect(throws: FHIRConversionError.tooExpensive(StepBudgetError(limit: limit))) {
                try FHIRConversion.toR4(response, from: .dstu2, budget: StepBudget(steps: limit))
            }
        }
        #expect(FHIRConversionError.tooExpensive(StepBudgetError(limit: 1)).code == "too-expensive")
    }
}
