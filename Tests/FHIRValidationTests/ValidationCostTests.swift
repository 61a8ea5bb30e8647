import FHIR
import FHIRValidation
import TestSupport
import Testing

/// The cost of validation grows linearly with the resource.
@Suite(.serialized) struct ValidationCostTests {
    private static func items(_ count: Int, _ make: (Int) -> JSON) -> JSON { .array((0..<count).map(make)) }

    private static let resources: [(String, @Sendable (Int) -> JSON)] = [
        (
            "QuestionnaireResponse",
            { count in
                [
                    "resourceType": "QuestionnaireResponse", "status": "completed",
                    "item": items(count) { ["linkId": .string("q\($0)"), "answer": [["valueString": "x"]]] },
                ]
            }
        ),
        (
            "Questionnaire",
            { count in
                [
                    "resourceType": "Questionnaire", "status": "active",
                    "item": items(count) { ["linkId": .string("q\($0)"), "text": "?", "type": "string"] },
                ]
            }
        ),
        (
            "Observation",
            { count in
                [
                    "resourceType": "Observation", "status": "final", "code": ["text": "x"],
                    "component": items(count) {
                        [
                            "id": .string("c\($0)"), "code": ["coding": [["system": "http://x", "code": "a"]]],
                            "valueQuantity": ["value": 1, "unit": "mm"],
                        ]
                    },
                ]
            }
        ),
        (
            "Bundle",
            { count in
                [
                    "resourceType": "Bundle", "type": "collection",
                    "entry": items(count) {
                        [
                            "fullUrl": .string("http://x.example/Patient/p\($0)"),
                            "resource": ["resourceType": "Patient", "id": .string("p\($0)"), "active": true],
                        ]
                    },
                ]
            }
        ),
        (
            "Patient",
            { count in
                [
                    "resourceType": "Patient",
                    "contained": items(count) {
                        ["resourceType": "Organization", "id": .string("o\($0)"), "name": "x"]
                    },
                    "generalPractitioner": items(count) { ["reference": .string("#o\($0)")] },
                    "extension": items(count) { ["url": .string("http://x.example/e\($0)"), "valueString": "x"] },
                ]
            }
        ),
        (
            "Observation with codings",
            { count in
                [
                    "resourceType": "Observation", "status": "final", "valueString": "x",
                    "code": ["coding": items(count) { ["system": "http://x", "code": .string("a\($0)")] }],
                    "component": items(count) {
                        [
                            "code": ["coding": [["system": "http://x", "code": .string("b\($0)")]]],
                            "valueString": "x",
                        ]
                    },
                ]
            }
        ),
        (
            "StructureDefinition",
            { count in
                func element(_ path: String) -> JSON {
                    [
                        "id": .string(path), "path": .string(path), "definition": "x", "min": 0, "max": "*",
                        "base": ["path": .string(path), "min": 0, "max": "*"],
                    ]
                }
                let list = items(count) { element($0 == 0 ? "Patient" : "Patient.x\($0)") }
                return [
                    "resourceType": "StructureDefinition", "url": "http://x.example/s", "name": "S",
                    "status": "draft", "kind": "resource", "abstract": false, "type": "Patient",
                    "baseDefinition": "http://hl7.org/fhir/StructureDefinition/DomainResource",
                    "derivation": "constraint", "snapshot": ["element": list], "differential": ["element": list],
                ]
            }
        ),
        (
            "CareTeam",
            { count in
                [
                    "resourceType": "CareTeam",
                    "contained": items(count) {
                        ["resourceType": "Practitioner", "id": .string("p\($0)"), "active": true]
                    },
                    "participant": items(count) {
                        [
                            "member": ["reference": .string("#p\($0)")],
                            "onBehalfOf": ["reference": "Organization/o"],
                        ]
                    },
                ]
            }
        ),
        (
            "ImplementationGuide",
            { count in
                [
                    "resourceType": "ImplementationGuide", "url": "http://x.example/i", "name": "I",
                    "status": "draft", "packageId": "x.y", "fhirVersion": ["4.0.1"],
                    "definition": [
                        "grouping": items(count) { ["id": .string("g\($0)"), "name": "g"] },
                        "resource": items(count) {
                            ["reference": ["reference": .string("Patient/p\($0)")], "groupingId": .string("g\($0)")]
                        },
                    ],
                ]
            }
        ),
    ]

    @Test(arguments: resources.indices)
    func costIsLinearInTheItems(_ number: Int) throws {
        let (type, make) = ValidationCostTests.resources[number]
        let validator = FHIRValidator()
        let growth = Growth.of {
            make($0)
        } _: {
            #expect(validator.validate($0).isValid)
        }
        print("\(type) \(growth)")
        #expect(growth.factor <= 6, "\(type)")
    }

    @Test func costIsLinearInUnknownMembers() throws {
        var options = FHIRValidator.Options()
        options.maximumIssues = 1_000_000
        let validator = FHIRValidator(options: options)
        let growth = Growth.of { count in
            let members = (0..<count).map { "\"name\($0)\":1,\"_value\($0)\":{\"id\":\"x\"}" }
            return Array(("{\"resourceType\":\"Patient\"," + members.joined(separator: ",") + "}").utf8)
        } _: {
            #expect(validator.validate($0).errors.count > 100)
        }
        print("members \(growth)")
        #expect(growth.factor <= 6)
    }

    @Test(arguments: resources.indices)
    func budgetEndsTheValidationOfALargeResource(_ number: Int) throws {
        let resource = ValidationCostTests.resources[number].1(300)
        let validator = FHIRValidator()
        let budget = StepBudget(steps: 100_000_000)
        let whole = try validator.validate(resource, budget: budget)
        #expect(whole == validator.validate(resource))
        #expect((600...1_000_000).contains(budget.spent), "\(budget.spent)")
        #expect(
            try validator.validate(resource.bytes(), budget: StepBudget(steps: budget.spent))
                == validator.validate(resource.bytes()))
        for limit in [0, 1, 10, 500, budget.spent - 1] {
            #expect(throws: StepBudgetError(limit: limit)) {
                try validator.validate(resource, budget: StepBudget(steps: limit))
            }
            #expect(throws: StepBudgetError(limit: limit)) {
                try validator.validate(resource.bytes(), budget: StepBudget(steps: limit))
            }
        }
    }
}
