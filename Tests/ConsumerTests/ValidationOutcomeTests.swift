import AccessPolicy
import FHIR
import Foundation
import Identity
import Storage
import Testing

@testable import Admission
@testable import Consumer
@testable import FHIRHTTP
@testable import FHIRServer
@testable import RecordStorage

/// One OperationOutcome has all problems of a resource, each with its element; `$validate` checks the requested mode
/// and profile.
@Suite struct ValidationOutcomeTests {
    /// Five faults.
    private static let wrong =
        #"{"resourceType":"Patient","id":"p9","gender":"unknwon","birthDate":"31.12.1980","active":"yes","#
        + #""planted":1,"link":[{"type":"seealso"}]}"#
    private static let bare =
        #"{"resourceType":"Observation","id":"o","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/p1"}}"#
    private static let bodyWeight = "http://hl7.org/fhir/StructureDefinition/bodyweight"

    private func resource(_ text: String) throws -> Resource { try Resource(Data(text.utf8)) }

    private func service(_ fixture: ConsumerFixture) -> RecordsService {
        RecordsService(
            database: fixture.database, access: AccessStores(audit: fixture.access.audit),
            admission: fixture.processor.admission,
            clock: { Date(timeIntervalSince1970: 1_790_000_000) })
    }

    private func caller(_ scopes: String = "user/*.cruds") throws -> AuthenticatedCaller {
        AuthenticatedCaller(
            try AccessGrant(client: "app", role: .practitioner, patients: .all, scopes: AccessScopes(scopes)))
    }

    private func with(_ body: (ConsumerFixture, RecordsService) async throws -> Void) async throws {
        let fixture = try await ConsumerFixture()
        let client = try await fixture.client()
        _ = try await fixture.send(ConsumerFixture.contract("p1", id: "c1"), from: client)
        try await body(fixture, service(fixture))
        try await fixture.close()
    }

    private func request(
        _ text: String?, type: String, query: [(name: String, value: String)] = []
    ) throws -> ValidationRequest {
        try ValidationRequest(address: query, body: try text.map(resource), type: type)
    }

    private func errors(_ outcome: OperationOutcome) -> [String] {
        outcome.issue.filter { $0.severity == .error }.map { $0.expression.first ?? "-" }
    }

    private static let paths = [
        "Patient.active", "Patient.birthDate", "Patient.gender", "Patient.link[0].other", "Patient",
    ]

    @Test func validateReportsEachProblemWithItsElement() async throws {
        try await with { _, service in
            let outcome = try await service.validate(
                request(Self.wrong, type: "Patient"), as: "Patient", id: nil, by: caller())
            #expect(Set(errors(outcome)) == Set(Self.paths), "\(outcome.json.text())")
            #expect(outcome.issue.allSatisfy { $0.details?.text == "resource-invalid" || $0.severity == .warning })
            #expect(!outcome.json.text().contains("planted"))
        }
    }

    @Test func aWriteIsRefusedWithEachProblem() async throws {
        try await with { _, service in
            let grant = try caller().grant
            let write = WriteRequest(type: "Patient", destination: .id("p9"), change: .update(try resource(Self.wrong)))
            let failure = await #expect(throws: RecordsFailure.self) { try await service.write(write, by: grant) }
            #expect(Set(failure?.issues.map(\.expression) ?? []) == Set(Self.paths))
            let outcome = OperationOutcome(try #require(failure))
            #expect(outcome.issue.count == failure?.issues.count)
            #expect(outcome.issue.allSatisfy { $0.expression.count == 1 && $0.details?.coding.count == 1 })
            // In a transaction the elements are those of the entry.
            let good = WriteRequest(
                type: "Observation", destination: .id("o"), change: .update(try resource(Self.bare)))
            let whole = await #expect(throws: RecordsFailure.self) {
                try await service.write([good, write], by: grant)
            }
            #expect(
                Set(whole?.issues.map(\.expression) ?? [])
                    == Set(Self.paths.map { "Bundle.entry[1].resource" + $0.dropFirst("Patient".count) }))
        }
    }

    @Test func theNumberOfIssuesIsBounded() async throws {
        try await with { _, service in
            let identifiers = Array(repeating: #"{"use":"wrong"}"#, count: 300).joined(separator: ",")
            let text = #"{"resourceType":"Patient","id":"p9","identifier":[\#(identifiers)]}"#
            let outcome = try await service.validate(
                request(text, type: "Patient"), as: "Patient", id: nil, by: caller())
            #expect(outcome.issue.count == RecordIssue.maximumCount + 1)
            #expect(outcome.issue.last?.severity == .information && outcome.issue.last?.expression == ["Patient"])
        }
    }

    @Test func requestedProfileIsChecked() async throws {
        try await with { _, service in
            func outcome(_ profile: String, in parameters: Bool) async throws -> OperationOutcome {
                let text =
                    parameters
                    ? #"{"resourceType":"Parameters","parameter":[{"name":"resource","resource":\#(Self.bare)},"#
                        + #"{"name":"profile","valueUri":"\#(profile)"}]}"#
                    : Self.bare
                return try await service.validate(
                    request(text, type: "Observation", query: parameters ? [] : [("profile", profile)]),
                    as: "Observation", id: nil, by: caller())
            }
            for inParameters in [true, false] {
                #expect(
                    try await outcome("http://hl7.org/fhir/StructureDefinition/Observation", in: inParameters)
                        .issue.first?.details?.text == "valid")
                for profile in [Self.bodyWeight, Self.bodyWeight + "|4.0.1"] {
                    let found = try await outcome(profile, in: inParameters)
                    #expect(errors(found).contains("Observation.category") || errors(found).count > 1, "\(profile)")
                }
                #expect(
                    try await !errors(outcome("http://hl7.org/fhir/StructureDefinition/Patient", in: inParameters))
                        .isEmpty)
                for unknown in ["http://example.org/nobody", Self.bodyWeight + "|9.9"] {
                    let failure = await #expect(throws: RecordsFailure.self) {
                        _ = try await outcome(unknown, in: inParameters)
                    }
                    #expect(failure?.code == "profile-unknown" && failure?.status == .badRequest)
                }
            }
        }
    }

    @Test func validationModesCheckTheirInteraction() async throws {
        try await with { fixture, service in
            let grant = try caller().grant
            _ = try await service.write(
                WriteRequest(type: "Observation", destination: .id("o"), change: .update(try resource(Self.bare))),
                by: grant)
            func detail(
                _ mode: String, _ text: String?, id: String?, profile: String? = nil, scopes: String = "user/*.cruds"
            ) async throws -> String? {
                var query = [(name: "mode", value: mode)]
                if let profile { query.append(("profile", profile)) }
                do {
                    let outcome = try await service.validate(
                        request(text, type: "Observation", query: query), as: "Observation", id: id,
                        by: caller(scopes))
                    return outcome.issue.first?.details?.text
                } catch let failure as RecordsFailure {
                    return failure.code
                }
            }
            #expect(try await detail("create", Self.bare, id: nil) == "valid")
            #expect(try await detail("create", Self.bare, id: nil, scopes: "user/*.rs") == "insufficient-scope")
            #expect(try await detail("update", Self.bare, id: "o") == "valid")
            #expect(try await detail("update", Self.bare, id: "other") == "id-mismatch")
            #expect(try await detail("update", Self.bare, id: nil) == "parameter-invalid")
            #expect(try await detail("delete", nil, id: "o") == "valid")
            #expect(try await detail("delete", nil, id: "none") == "record-unknown")
            #expect(try await detail("delete", nil, id: "o", scopes: "user/*.rs") == "insufficient-scope")
            #expect(try await detail("profile", nil, id: "o") == "profile-missing")
            #expect(try await detail("profile", nil, id: "o", profile: Self.bodyWeight) == "resource-invalid")
            #expect(try await detail("profile", nil, id: "none", profile: Self.bodyWeight) == "record-unknown")
            #expect(try await detail("nonsense", Self.bare, id: nil) == "parameter-invalid")
            #expect(
                try await fixture.database.read { try RecordStore().read(type: "Observation", id: "o", in: $0) }?
                    .version == 1)
        }
    }

    private static let form = """
        {"resourceType":"Questionnaire","url":"https://example.org/pain","version":"1","status":"active","contained":[
         {"resourceType":"ValueSet","id":"places","status":"active","compose":{"include":[
          {"system":"http://x","concept":[{"code":"head","display":"Head"}]}]}}],
         "item":[{"linkId":"pain","type":"integer","required":true,"extension":[
          {"url":"http://hl7.org/fhir/StructureDefinition/maxValue","valueInteger":10}]},
          {"linkId":"where","type":"choice","answerValueSet":"#places"}]}
        """

    private static func response(_ items: String, form: String = "https://example.org/pain|1") -> String {
        """
        {"resourceType":"QuestionnaireResponse","id":"r","status":"completed","questionnaire":"\(form)",\
        "subject":{"reference":"Patient/p1"},"authored":"2026-01-02T08:00:00+02:00","item":[\(items)]}
        """
    }

    /// Answers with the problems that refuse a write, and those that do not.
    private static let answers: [(items: String, form: String?, refused: [String], warnings: [String])] = [
        (#"{"linkId":"pain","answer":[{"valueInteger":7}]}"#, nil, [], []),
        (
            #"{"linkId":"pain","answer":[{"valueInteger":11}]},{"linkId":"other","answer":[{"valueInteger":1}]}"#, nil,
            ["max-value QuestionnaireResponse.item[0].answer[0]", "link-id-unknown QuestionnaireResponse.item[1]"], []
        ),
        (
            #"{"linkId":"where","answer":[{"valueCoding":{"system":"http://x","code":"foot"}}]}"#, nil,
            ["required QuestionnaireResponse", "option QuestionnaireResponse.item[0].answer[0]"], []
        ),
        (
            #"{"linkId":"pain","answer":[{"valueInteger":7}]},"#
                + #"{"linkId":"where","answer":[{"valueCoding":{"system":"http://x","code":"head","display":"Kopf"}}]}"#,
            nil, [], ["coding-display QuestionnaireResponse.item[1].answer[0]"]
        ),
        (#"{"linkId":"pain","answer":[{"valueInteger":11}]}"#, "https://example.org/unknown|1", [], []),
        (#"{"linkId":"pain","answer":[{"valueInteger":11}]}"#, "https://example.org/pain|2", [], []),
    ]

    /// The same problems as those of a write, with their elements.
    @Test(arguments: answers.indices) func answersAreValidatedAsByAWrite(index: Int) async throws {
        let (items, name, refused, warnings) = Self.answers[index]
        let text = Self.response(items, form: name ?? "https://example.org/pain|1")
        let fixture = try await ConsumerFixture(
            forms: [Questionnaire(try #require(try JSON(parsing: Self.form).object))])
        let client = try await fixture.client()
        _ = try await fixture.send(ConsumerFixture.contract("p1", id: "c1"), from: client)
        let service = service(fixture)
        func rows(_ issues: [OperationOutcome.Issue], _ severity: IssueSeverity) -> [String] {
            issues.filter { $0.severity == severity && $0.details?.coding.isEmpty == false }
                .map { "\($0.details?.coding.first?.code ?? "") \($0.expression.first ?? "")" }.sorted()
        }
        let parameters =
            #"{"resourceType":"Parameters","parameter":[{"name":"resource","resource":\#(text)}]}"#
        for (body, mode, id) in [
            (text, nil, nil), (parameters, nil, nil), (text, "create", nil), (text, "update", "r"),
        ] {
            let outcome = try await service.validate(
                request(body, type: "QuestionnaireResponse", query: mode.map { [("mode", $0)] } ?? []),
                as: "QuestionnaireResponse", id: id, by: caller())
            #expect(rows(outcome.issue, .error) == refused.sorted(), "\(outcome.json.text())")
            #expect(rows(outcome.issue, .warning) == warnings.sorted(), "\(outcome.json.text())")
            #expect((outcome.issue.first?.details?.text == "valid") == refused.isEmpty)
        }
        let write = WriteRequest(
            type: "QuestionnaireResponse", destination: .id("r"), change: .update(try resource(text)))
        var failure: RecordsFailure?
        do { _ = try await service.write(write, by: try caller().grant) } catch let error as RecordsFailure {
            failure = error
        }
        #expect(rows(failure.map { OperationOutcome($0).issue } ?? [], .error) == refused.sorted())
        #expect(failure?.code == (refused.isEmpty ? nil : "answers-invalid"))
        try await fixture.close()
    }

    /// Libraries of the reference apps send Observations that are not quite valid R4: they are accepted and stored
    /// unchanged.
    @Test func observationsOfThirdPartyLibrariesAreAccepted() async throws {
        for strictness in [ValidationStrictness.structure, .errors] {
            let fixture = try await ConsumerFixture(strictness: strictness)
            let client = try await fixture.client()
            _ = try await fixture.send(ConsumerFixture.contract("p1", id: "c1"), from: client)
            let subject = #","subject":{"reference":"Patient/p1"},"#
            for (id, rest) in [
                (
                    "ms",
                    #""identifier":[{"system":"com.apple.health","value":"1"}],"code":{"coding":[{"system":"com.apple.health","code":"HKQuantityTypeIdentifierStepCount"}]}"#
                ),
                (
                    "bdhg",
                    #""identifier":[{"id":"01111FC6-EC5E-4E58-8807-948AB6AA48C6"}],"code":{"coding":[{"system":"http://loinc.org","code":"55423-8"}]}"#
                ),
                (
                    "empty",
                    #""identifier":[{"id":"a1","value":""}],"code":{"coding":[{"system":"http://loinc.org","code":"55423-8"}]}"#
                ),
            ] {
                let text =
                    #"{"resourceType":"Observation","id":"\#(id)","status":"final"\#(subject)\#(rest),"#
                    + #""effectiveDateTime":"2026-03-01T10:00:00Z","valueQuantity":{"value":421,"unit":"steps"}}"#
                let outcome = try await fixture.send(text, from: client)
                #expect(outcome?.reasonCode == nil, "\(id) \(outcome?.reasonCode ?? "")")
                let stored = try await fixture.database.read {
                    try RecordStore().read(type: "Observation", id: id, in: $0)
                }
                #expect(stored.map { String(decoding: $0.content, as: UTF8.self) } == text, "\(id)")
            }
            // The sent unit is a modifier of each fact.
            #expect(
                try await fixture.count(
                    """
                    SELECT count(*) AS number FROM observation_fact
                    WHERE modifier_cd = '@' AND concept_cd = 'LOINC:55423-8' AND nval_num = 421 AND units_cd = '{steps}'
                    """) == 3)
            #expect(
                try await fixture.count(
                    "SELECT count(*) AS number FROM observation_fact WHERE modifier_cd = '@'") == 3)
            try await fixture.close()
        }
    }
}
