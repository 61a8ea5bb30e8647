import FHIR
import FormOperations
import Foundation
import Questionnaires
import Testing

/// Queries on resources in memory.
struct QueryTests {
    private let resources: QueriedResources

    init() throws {
        let bundle = try Samples.json(
            #"""
            {"resourceType": "Bundle", "type": "collection", "entry": [
              {"fullUrl": "http://e/fhir/Patient/7", "resource": {"resourceType": "Patient", "id": "7", "gender": "female", "name": [{"family": "Ärzte"}], "generalPractitioner": [{"reference": "Practitioner/d"}]}},
              {"fullUrl": "http://e/fhir/Practitioner/d", "resource": {"resourceType": "Practitioner", "id": "d", "name": [{"family": "Doc"}]}},
              {"resource": {"resourceType": "Patient", "id": "8", "gender": "male"}},
              {"resource": {"resourceType": "Observation", "id": "o1", "status": "final", "code": {"coding": [{"system": "http://loinc.org", "code": "w"}]}, "subject": {"reference": "Patient/7"}, "effectiveDateTime": "2026-01-01", "valueQuantity": {"value": 70, "system": "http://unitsofmeasure.org", "code": "kg"}}},
              {"resource": {"resourceType": "Observation", "id": "o2", "status": "final", "code": {"coding": [{"system": "http://loinc.org", "code": "w"}]}, "subject": {"reference": "http://e/fhir/Patient/7"}, "effectiveDateTime": "2026-03-01T10:00:00+10:00"}},
              {"resource": {"resourceType": "Observation", "id": "o3", "status": "final", "code": {"coding": [{"system": "http://loinc.org", "code": "w"}]}, "subject": {"reference": "Patient/8"}, "effectiveDateTime": "2026-02-01"}},
              {"fullUrl": "urn:uuid:0be665fe-c9ad-40c7-a94b-d405c349427a", "resource": {"resourceType": "Condition", "subject": {"reference": "Patient/7"}}}
            ]}
            """#)
        resources = QueriedResources(FHIR.Bundle(try #require(bundle.object)))
    }

    private func ids(_ query: String) -> [String]? {
        let (found, problem) = resources.result(of: query, now: Samples.now)
        guard problem == nil, let found else { return nil }
        return (found.object["entry"]?.array ?? []).compactMap { $0["resource"]?["id"]?.string }
    }

    @Test(arguments: [
        ("Observation?code=w&patient=Patient/7", ["o1", "o2"]),
        ("Observation?code=w&subject=7&_sort=-date", ["o2", "o1"]),
        ("Observation?code=http://loinc.org|w&_sort=-date&_count=1&patient=7", ["o2"]),
        ("Observation?code=http%3A%2F%2Floinc.org%7Cw", ["o1", "o2", "o3"]), ("/Observation?_id=o1,o3", ["o1", "o3"]),
        ("Observation?date=ge2026-02-01&_sort=date", ["o3", "o2"]),
        ("Observation?date=2026-03-01T10:00:00+10:00", ["o2"]),
        ("Observation?patient.gender=male", ["o3"]), ("Patient?_has:Observation:patient:code=w&gender=female", ["7"]),
        ("Observation?value-quantity=gt60000||g", []),
        ("Observation?value-quantity=gt60000|http://unitsofmeasure.org|g", ["o1"]),
        ("Patient?_id=7&_include=Patient:general-practitioner", ["7", "d"]),
        ("Patient?_id=8&_revinclude=Observation:subject", ["8", "o3"]), ("Patient?name=arzte", ["7"]),
        ("Patient/7/Observation?code=w", ["o1", "o2"]), ("http://e/fhir/Patient?gender=male", ["8"]),
        ("Device?status=active", []),
        ("Patient", ["7", "8"]),
    ])
    func aSearchFindsItsResources(_ query: String, _ expected: [String]) {
        #expect(ids(query) == expected)
    }

    @Test func aReadGivesTheResource() {
        #expect(resources.result(of: "Patient/7", now: Samples.now).resource?.id == "7")
        let (missing, problem) = resources.result(of: "Patient/9", now: Samples.now)
        #expect(missing == nil && problem == nil)
    }

    @Test func theResultIsASearchset() throws {
        let found = try #require(resources.result(of: "Observation?_summary=count", now: Samples.now).resource)
        #expect(found.object["type"] == "searchset" && found.object["total"] == 3 && found.object["entry"] == nil)
    }

    @Test(arguments: [
        ("Observation?nothing=1", "parameter-unknown"), ("Observation?patient=", "query-value-missing"),
        ("Observation?patient=Patient/&code=w", "query-value-missing"), ("Observation?code", "query-value-missing"),
        ("", "query-invalid"), ("Nothing?a=b", "query-invalid"), ("Patient/7/x/y", "query-invalid"),
        ("{{%patient.id}}", "query-invalid"),
        ("Observation?date=yesterday", "parameter-invalid"),
        ("Observation?code:in=http://e/vs", "modifier-unsupported"),
        ("Observation?_sort=nothing", "parameter-unknown"),
    ])
    func anInvalidQueryIsReportedAndCountsAsNoData(_ query: String, _ code: String) {
        let (found, problem) = resources.result(of: query, now: Samples.now)
        #expect(found == nil)
        #expect(problem?.code == code, "\(String(describing: problem))")
    }

    @Test func aSessionExecutesItsQueries() throws {
        let variable =
            #"{"url": "http://hl7.org/fhir/StructureDefinition/variable", "valueExpression": {"name": "w", "language": "application/x-fhir-query", "expression": "Observation?code=w&patient={{%patient.id}}&_sort=date"}}"#
        let initial =
            #"{"url": "\#(Samples.sdc)initialExpression", "valueExpression": {"language": "text/fhirpath", "expression": "%w.entry.resource.value.value.first()"}}"#
        let form = QuestionnaireForm(
            try Samples.form(
                #"{"extension": [\#(variable)], "item": [{"linkId": "q", "type": "decimal", "extension": [\#(initial)]}]}"#
            ))
        var context = FormContext()
        context["patient"] = resources.result(of: "Patient/7", now: Samples.now).resource
        context.query = resources.resolver(now: Samples.now) { _ in }
        let session = FormSession(form, context: context, clock: { Samples.now })
        #expect(session["q"] == .decimal(70))
    }

    @Test func theProblemContainsNoValue() {
        let (_, problem) = resources.result(of: "Observation?date=secret&patient=secret", now: Samples.now)
        #expect(problem.map { "\($0)".contains("secret") } == false)
    }
}
