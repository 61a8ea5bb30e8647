import FHIR
import Foundation
import InformedConsent
import Storage
import Submissions
import TestSupport
import Testing

@testable import Admission
@testable import Consumer
@testable import Wire

/// Reading an Observation by a template of its form gives the same result as full processing.
@Suite struct IncomingTemplatesTests {
    private static let received = Date(timeIntervalSince1970: 1_800_000_000)
    private let published = PublishedStudy(templates: [], forms: [])

    private func reader(
        _ strictness: ValidationStrictness = .errors, _ handling: IdentifyingDataHandling = .quarantine
    ) -> SubmissionReader {
        SubmissionReader(
            maximumResources: 1_000, validation: SubmissionValidation(strictness: strictness),
            answers: AnswerValidation(strictness: strictness, acceptsC3PRO: true),
            contracts: ContractValidation(c3pro: C3PROAcceptance(isAccepted: true)), identifyingData: handling)
    }

    private func convert(_ documents: [ParsedDocument], _ reader: SubmissionReader) throws -> [IncomingResource] {
        let opened = OpenedEnvelope(
            payload: Data(), format: .jwe, keyID: "k", submissionID: nil, sequence: nil, fhirVersion: nil,
            contentType: .batch, signature: nil)
        let submission = QueuedSubmission(
            number: 1, clientID: "c", enrolmentID: "l", submissionID: "s", digest: "d", format: .jwe, body: Data(),
            receivedAt: Self.received)
        return try reader.convert(documents, of: opened, submission: submission, published: published)
    }

    /// Returns all results of the processing as text.
    private func summary(_ incoming: IncomingResource) -> String {
        let record = incoming.record
        return """
            \(record.type) \(record.id) \(record.subject ?? "-") \(String(decoding: record.content, as: UTF8.self))
            \(record.digest as NSData) \(record.stored.content as NSData) \(record.original == nil)
            \(record.entries) \(String(describing: record.time)) \(record.protection) \(record.rowCount)
            \(String(decoding: incoming.resource.json.data(), as: UTF8.self)) \(incoming.subject) \(incoming.inclusions.sorted()) \(incoming.contract == nil)
            \(String(reflecting: incoming.entry)) \(incoming.entry.rowCount)
            """
    }

    /// Observations with placeholders such as `<id>` for the values that vary.
    private static let kinds: [String] = {
        let start = #"{"resourceType":"Observation","id":"<id>","#
        let identifier = #""identifier":[{"system":"urn:x","value":"<identifier>"}],"#
        let code =
            #""status":"final","code":{"coding":[{"system":"http://loinc.org","code":"29463-7"}]},"subject":{"reference":"Patient/p1"},"#
        let unit = #""unit":"kg","system":"http://unitsofmeasure.org","code":"kg""#
        let quantity = #""valueQuantity":{"value":<number>,\#(unit)}"#
        let moment = #""effectiveDateTime":"<start>","#
        let period = #""effectivePeriod":{"start":"<start>","end":"<end>"},"#
        let translation =
            #"{"url":"http://hl7.org/fhir/StructureDefinition/iso21090-PQ-translation","valueQuantity":{"value":<number>,"unit":"lb"}}"#
        let sleep =
            #""valueCodeableConcept":{"coding":[{"system":"http://developer.apple.com/documentation/healthkit","code":"HKCategoryValueSleepAnalysisAsleepCore"}]}}"#
        return [
            start + identifier + code + moment + quantity + "}",
            start + identifier + code + period + #""issued":"<issued>","# + quantity + "}",
            start + code + period + quantity + "}",
            start + identifier + code + moment
                + #""valueQuantity":{"extension":[\#(translation)],"value":<number>,\#(unit)}}"#,
            start + identifier + code + moment + #""issued":"<issued>","# + sleep,
            start + code + moment + quantity.replacingOccurrences(of: "kg", with: "dB[SPL]") + "}",
            start + code + moment + quantity.replacingOccurrences(of: "kg", with: "[lb_av]") + "}",
            start + code + moment + quantity.replacingOccurrences(of: "kg", with: "Cel") + "}",
            start + code + moment + #""valueQuantity":{"value":<number>,"unit":"sips"}}"#,
            start + code + moment + #""valueQuantity":{"value":<number>,"comparator":"<",\#(unit)}}"#,
            start + code + moment + #""valueString":"<identifier>"}"#,
            start + code + moment + #""valueInteger":<number>}"#,
            start + code.replacingOccurrences(of: "final", with: "entered-in-error") + moment + quantity + "}",
            start + code + #""effectiveInstant":"<start>","# + quantity + "}",
            start + code + #""effectivePeriod":{"start":"<start>"},"# + quantity + "}",
            start + #""meta":{"profile":["http://hl7.org/fhir/StructureDefinition/bodyweight"]},"# + code + moment
                + quantity + "}",
            start
                + #""meta":{"security":[{"system":"http://terminology.hl7.org/CodeSystem/v3-Confidentiality","code":"R"}]},"#
                + code + moment + quantity + "}",
            start + #""contained":[{"resourceType":"Device","id":"<id>"}],"# + code + moment + quantity + "}",
            start + code + moment + #""component":[{"code":{"text":"x"},"valueQuantity":{"value":<number>}}]}"#,
            start + code + moment + #""note":[{"text":"<identifier>"}],"# + quantity + "}",
            start + #""identifier":[{"value":"<identifier>"},{"value":"fixed"}],"# + code + moment + quantity + "}",
            start + #""identifier":[{"system":"urn:x","value":"<identifier>"},{"system":"urn:x","value":"<id>"}],"#
                + code + moment + quantity + "}",
            start
                + #""identifier":[{"type":{"coding":[{"system":"urn:t","code":"MR"}]},"value":"<identifier>"}],"#
                + code + moment + quantity + "}",
            start + #""_effectiveDateTime":{"extension":[{"url":"urn:e","valueString":"<start>"}]},"# + code + moment
                + quantity + "}",
            (start + identifier + code + moment + quantity + "}").replacingOccurrences(of: ":", with: " : ")
                .replacingOccurrences(of: "http : //", with: "http://"),
            start + identifier + code + moment + quantity + #","effectiveDateTime":"2026"}"#,
            identifier.dropFirst(0) + start.dropFirst() + code,
        ]
    }()

    private static let values: [String: [String]] = [
        "<id>": ["o-1", "A.9", "bad id", "", String(repeating: "x", count: 65), "\\u0041", "fixed"],
        "<identifier>": ["abc", "A-B-C", "with blank", " ", "", "ä", #"q\"q"#, "fixed", "http://x/y?z=1", "<b>"],
        "<start>": [
            "2026-03-01T08:00:00Z", "2026-03-01T08:00:00+01:00", "2026-03-01T08:00:00.5Z", "2026-03-01", "2026-02-30",
            "2026-03-01T08:00:60Z", "2026-03-01T24:00:00Z", "1899-12-31T23:59:59-14:00", "2026-03-01T08:00:00", "x",
            "2026-03-01T08:00:00+15:00", "9999-12-31T23:59:59Z", "2026",
        ],
        "<end>": [
            "2026-03-01T08:00:00Z", "2026-03-01T07:59:59Z", "2026-03-01T09:30:00+01:00", "2027-01-01T00:00:00.25Z",
            "2026-03", "2026-03-01T08:00:00.5Z",
        ],
        "<issued>": ["2026-03-01T08:00:01Z", "2026-03-01T08:00:01.123+02:00", "2026-03-01", "soon"],
        "<number>": [
            "1", "72", "0", "-0", "-3.50", "98.60", "0.000001", "99999999999999", "123456789012345678", "1e3", "1.",
            "01", "\"5\"", "99999999999999.9", "12345678.123456",
        ],
    ]

    private func document(_ kind: String, _ random: inout Seeded, isGood: Bool) -> ParsedDocument? {
        var text = kind
        for (placeholder, values) in Self.values.sorted(by: { $0.key < $1.key }) {
            while let range = text.range(of: placeholder) {
                let value =
                    isGood || Int.random(in: 0..<4, using: &random) > 0
                    ? values.prefix(2).randomElement(using: &random) : values.randomElement(using: &random)
                text.replaceSubrange(range, with: value ?? "")
            }
        }
        return try? ParsedDocument(bytes: Data(text.utf8))
    }

    @Test(arguments: ValidationStrictness.allCases)
    func templateGivesTheSameResultAsFullProcessing(strictness: ValidationStrictness) throws {
        var random = Seeded.fresh()
        let reader = reader(strictness, Bool.random(using: &random) ? .reduce : .accept)
        var hits: [Int] = []
        for kind in Self.kinds {
            var templates = IncomingTemplates()
            // Some Observations give no template, for example with a period that ends before it begins: others are
            // tried.
            var added = 0
            for _ in 0..<40 where added < 4 {
                guard let first = document(kind, &random, isGood: true),
                    let incoming = try? convert([first], reader).first
                else { continue }
                templates.add(first, incoming, steps: 7, health: published.health, receivedAt: Self.received)
                if templates.incoming(first, budget: StepBudget(steps: 100)) != nil { added += 1 }
            }
            var found = 0
            for _ in 0..<150 {
                guard let document = document(kind, &random, isGood: false) else { continue }
                let budget = StepBudget(steps: 100)
                guard let quick = templates.incoming(document, budget: budget) else {
                    #expect(budget.spent == 0)
                    continue
                }
                found += 1
                #expect(budget.spent == 7)
                let whole = (try? convert([document], reader)) ?? []
                #expect(whole.map(summary) == [summary(quick)], "\(String(decoding: document.bytes, as: UTF8.self))")
            }
            hits.append(found)
        }
        // The kinds whose Observations differ only in these values.
        #expect(hits.prefix(5).allSatisfy { $0 > 20 }, "\(hits)")
        #expect(hits.reduce(0, +) > 500, "\(hits)")
    }

    @Test func batchHasTheResultOfItsSingleLines() throws {
        var random = Seeded.fresh()
        let reader = reader()
        for _ in 0..<30 {
            let documents = (0..<40).compactMap { _ in
                document(
                    Self.kinds.randomElement(using: &random) ?? "", &random,
                    isGood: Int.random(in: 0..<60, using: &random) > 0)
            }
            let each = documents.map { document in Result { try convert([document], reader) } }
            let together = Result { try convert(documents, reader) }
            let failed = each.firstIndex { (try? $0.get()) == nil }
            switch together {
            case .success(let incoming):
                #expect(try incoming.map(summary) == each.flatMap { try $0.get() }.map(summary))
            case .failure(let error):
                let problem = try #require(error as? SubmissionProblem)
                let index = try #require(failed)
                #expect(problem.message.hasSuffix("(line \(index + 1) of the batch)"))
                #expect(throws: (any Error).self) { try each[index].get() }
            }
            #expect((try? together.get()) == nil || failed == nil)
        }
    }

    /// A message costs the same with full processing and by a template.
    @Test func templateChargesTheStepsOfFullProcessing() throws {
        var random = Seeded.fresh()
        let document = try #require(document(Self.kinds[0], &random, isGood: true))
        let incoming = try #require(try convert([document], reader()).first)
        var templates = IncomingTemplates()
        templates.add(document, incoming, steps: 10, health: published.health, receivedAt: Self.received)
        let budget = StepBudget(steps: 25)
        #expect(templates.incoming(document, budget: budget) != nil)
        #expect(templates.incoming(document, budget: budget) != nil)
        #expect(templates.incoming(document, budget: budget) == nil)
        #expect(budget.spent == 20 && !budget.isExhausted)
    }

    /// A study's profile may have rules about any value.
    @Test func observationThatAStudysProfileMayCoverIsFullyProcessed() throws {
        let profile = try #require(
            try JSON(
                Array(
                    #"""
                    {"resourceType":"StructureDefinition","url":"urn:light","status":"active","kind":"resource",
                    "abstract":false,"type":"Observation","name":"L","derivation":"constraint",
                    "baseDefinition":"http://hl7.org/fhir/StructureDefinition/Observation",
                    "differential":{"element":[{"id":"Observation","path":"Observation"}]}}
                    """#.utf8)
            ).object)
        let validation = SubmissionValidation(strictness: .errors, profiles: [profile])
        func depends(_ text: String, _ validation: SubmissionValidation) throws -> Bool {
            validation.mayDependOnValues(of: try Resource(Data(text.utf8)))
        }
        let named = #"{"resourceType":"Observation","meta":{"profile":["urn:light"]}}"#
        let extended = #"{"resourceType":"Observation","code":{"text":"x","_text":{"extension":[{"url":"urn:e"}]}}}"#
        for text in [named, extended] {
            #expect(try depends(text, validation))
            #expect(try !depends(text, SubmissionValidation(strictness: .errors)))
            #expect(try !depends(text, SubmissionValidation(strictness: .none, profiles: [profile])))
        }
        #expect(try !depends(#"{"resourceType":"Observation","code":{"text":"extension"}}"#, validation))
    }
}
