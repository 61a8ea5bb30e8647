import Core
import FHIR
import SearchTestSupport
import TestSupport
import Testing

@testable import FHIRSearch
@testable import RecordStorage

@Suite struct SearchValuesTests {
    private func values(_ json: String, limits: SearchValues.Limits = .init()) throws -> SearchValues {
        try #require(SearchValues(of: try Resource(Array(json.utf8)), limits: limits))
    }

    private func tokens(_ values: SearchValues, _ code: String) -> [String] {
        values[code].map { value in
            guard case .token(let token) = value else { return "?" }
            return "\(token.system ?? "")|\(token.code ?? "")|\(token.text ?? "")"
        }
    }

    private func strings(_ values: SearchValues, _ code: String) -> [String] {
        values[code].map { if case .string(let string) = $0 { string.folded } else { "?" } }
    }

    private let observation = """
        {"resourceType":"Observation","id":"o","meta":{"lastUpdated":"2026-01-02T03:04:05.678Z","tag":[{"system":"urn:t","code":"x"}],
        "profile":["http://p.example/a|1"]},"status":"final","code":{"coding":[{"system":"http://loinc.org","code":"8480-6",
        "display":"Systolic Blood-Pressure"},{"code":"mine"}],"text":"Systole"},"subject":{"reference":"Patient/p/_history/3"},
        "effectivePeriod":{"start":"2026-01-01"},"valueQuantity":{"value":6.30,"unit":"mg per l","code":"mg/L",
        "system":"http://unitsofmeasure.org"},"component":[{"code":{"text":"a"},"valueQuantity":{"value":1}},
        {"code":{"coding":[{"code":"b"}]},"valueCodeableConcept":{"coding":[{"code":"c"}]}}]}
        """

    @Test func aCodeHasItsSystemAndItsTexts() throws {
        let values = try values(observation)
        #expect(
            tokens(values, "code") == [
                "http://loinc.org|8480-6|systolic bloodpressure", "|mine|", "||systole",
            ])
        #expect(tokens(values, "combo-code").count == 5)
        #expect(tokens(values, "status") == ["http://hl7.org/fhir/observation-status|final|"])
        #expect(tokens(values, "_id") == ["|o|"])
        #expect(tokens(values, "_tag") == ["urn:t|x|"])
        #expect(values["_profile"] == [.uri("http://p.example/a|1"), .uri("http://p.example/a")])
    }

    @Test func openPeriodHasNoUpperLimit() throws {
        let values = try values(observation)
        #expect(values["date"] == [.date(SearchPeriod(low: 1_767_225_600_000, high: .max))])
        #expect(
            values["_lastUpdated"] == [.date(SearchPeriod(low: 1_767_323_045_678, high: 1_767_323_045_679))])
    }

    @Test func aTimingHasItsOuterLimits() throws {
        let timing = try values(
            """
            {"resourceType":"Observation","effectiveTiming":{"event":["2026-03-05","2026-03-01"],
            "repeat":{"boundsPeriod":{"start":"2026-03-02","end":"2026-03-10"}}}}
            """)
        #expect(timing["date"] == [.date(SearchPeriod(low: 1_772_323_200_000, high: 1_773_187_200_000))])
    }

    @Test func quantityIsIndexedAsWrittenAndInBaseUnits() throws {
        guard case .quantity(let quantity)? = try values(observation)["value-quantity"].first else {
            Issue.record("no quantity")
            return
        }
        #expect(quantity.number.low == ExactNumber(decimal: "6.3"))
        #expect(quantity.number.implicitLow == ExactNumber(decimal: "6.295"))
        #expect(quantity.number.implicitHigh == ExactNumber(decimal: "6.305"))
        #expect(quantity.code == "mg/L" && quantity.unit == "mg per l")
        #expect(quantity.canonical?.unit == "m-3.g")
        #expect(quantity.canonical?.number.low == ExactNumber(decimal: "6.3"))
    }

    @Test func moneyHasItsCurrencyAndARangeItsEnds() throws {
        let invoice = try values(#"{"resourceType":"Invoice","totalNet":{"value":12.5,"currency":"EUR"}}"#)
        guard case .quantity(let money)? = invoice["totalnet"].first else {
            Issue.record("no money")
            return
        }
        #expect(money.system == "urn:iso:std:iso:4217" && money.code == "EUR")
        let condition = try values(
            #"{"resourceType":"Condition","onsetRange":{"low":{"value":3,"unit":"a"},"high":{"value":4,"unit":"a"}}}"#)
        guard case .quantity(let range)? = condition["onset-age"].first else {
            Issue.record("no range")
            return
        }
        #expect(range.number.low == ExactNumber(3) && range.number.high == ExactNumber(4) && range.unit == "a")
    }

    @Test func referenceHasTypeAndIDWithoutItsVersion() throws {
        let values = try values(observation)
        #expect(values["subject"] == values["patient"])
        guard case .reference(let reference)? = values["subject"].first else {
            Issue.record("no reference")
            return
        }
        #expect(reference.type == "Patient" && reference.id == "p" && reference.base == nil)
    }

    @Test func typeOfAReferenceIsThatOfItsElements() throws {
        func patients(_ subject: String, contained: String = "") throws -> Bool {
            try values(#"{"resourceType":"Observation",\#(contained)"subject":\#(subject)}"#).has("patient")
        }
        #expect(try patients(#"{"reference":"https://x.example/fhir/Patient/1"}"#))
        #expect(try !patients(#"{"reference":"Group/1"}"#))
        #expect(try patients(#"{"type":"Patient","identifier":{"value":"7"}}"#))
        #expect(try !patients(#"{"identifier":{"value":"7"}}"#))
        #expect(try patients(#"{"reference":"urn:uuid:8a","type":"Patient"}"#))
        let contained = ##""contained":[{"resourceType":"Patient","id":"c"},{"resourceType":"Group","id":"g"}],"##
        #expect(try patients(##"{"reference":"#c"}"##, contained: contained))
        #expect(try !patients(##"{"reference":"#g"}"##, contained: contained))
        // A contained resource cannot be searched for, but the element is present.
        let inside = try values(##"{"resourceType":"Observation",\##(contained)"subject":{"reference":"#c"}}"##)
        #expect(inside["subject"] == [] && inside.has("subject"))
    }

    @Test func aLogicalReferenceHasItsIdentifier() throws {
        let values = try values(
            #"{"resourceType":"Observation","subject":{"type":"Patient","identifier":{"system":"urn:m","value":"7"}}}"#)
        guard case .reference(let reference)? = values["subject"].first else {
            Issue.record("no reference")
            return
        }
        #expect(reference.type == "Patient" && reference.id == nil)
        #expect(reference.identifier?.system == "urn:m" && reference.identifier?.code == "7")
    }

    @Test func aCanonicalHasItsVersion() throws {
        let values = try values(
            #"{"resourceType":"QuestionnaireResponse","questionnaire":"http://q.example/a|1.0"}"#)
        guard case .reference(let reference)? = values["questionnaire"].first else {
            Issue.record("no reference")
            return
        }
        #expect(reference.url == "http://q.example/a" && reference.version == "1.0")
    }

    @Test func aDocumentIsFoundByItsFirstResource() throws {
        let document = try values(
            """
            {"resourceType":"Bundle","type":"document","entry":[{"resource":{"resourceType":"Composition","id":"c"}},
            {"resource":{"resourceType":"Patient","id":"p"}}]}
            """)
        guard case .reference(let reference)? = document["composition"].first else {
            Issue.record("no reference")
            return
        }
        #expect(document["composition"].count == 1 && document["message"].isEmpty && !document.has("message"))
        #expect(reference.type == "Composition" && reference.id == "c")
    }

    @Test func anElementIsChosenByItsExtension() throws {
        let url = "http://hl7.org/fhir/StructureDefinition/questionnaireresponse-isSubject"
        let response = try values(
            """
            {"resourceType":"QuestionnaireResponse","item":[{"extension":[{"url":"\(url)","valueBoolean":true}],
            "answer":[{"valueReference":{"reference":"Patient/a"}},{"valueString":"b"}]},
            {"answer":[{"valueReference":{"reference":"Patient/c"}}]}]}
            """)
        guard case .reference(let reference)? = response["item-subject"].first else {
            Issue.record("no reference")
            return
        }
        #expect(response["item-subject"].count == 1 && reference.id == "a")
    }

    @Test func anExtensionIsFoundByItsValue() throws {
        let url = "http://hl7.org/fhir/StructureDefinition/patient-extensions-Patient-mothersMaidenName"
        let patient = try values(
            #"{"resourceType":"Patient","extension":[{"url":"\#(url)","valueString":"Levin"},{"url":"u","valueString":"x"}]}"#
        )
        #expect(strings(patient, "mothersMaidenName") == ["levin"])
    }

    @Test func compositeJoinsValuesOfOneElement() throws {
        let values = try values(observation)
        // The code's three tokens, each with the quantity.
        #expect(values["code-value-quantity"].count == 3)
        #expect(values["component-code-value-quantity"].count == 1)
        #expect(values["component-code-value-concept"].count == 1)
        #expect(values["combo-code-value-quantity"].count == 4)
        guard case .composite(let parts)? = values["component-code-value-concept"].first else {
            Issue.record("no composite")
            return
        }
        #expect(parts.count == 2)
    }

    @Test func namesAndAddressesAreFoundByTheirParts() throws {
        let patient = try values(
            """
            {"resourceType":"Patient","name":[{"family":"Carreño Quiñones","given":["Eve","Ann"],"suffix":["Dr."]}],
            "address":[{"line":["Main St. 1"],"city":"Zürich","use":"home"}],"telecom":[{"system":"phone","value":"+41 1"},
            {"system":"email","value":"a@b.example"}]}
            """)
        #expect(
            strings(patient, "name") == [
                "eve", "ann", "carreno quinones", "quinones", "dr", "eve ann carreno quinones dr",
            ])
        #expect(strings(patient, "family") == ["carreno quinones", "quinones"])
        #expect(strings(patient, "address") == ["main st 1", "zurich"])
        #expect(tokens(patient, "phone") == ["|+41 1|"])
        #expect(tokens(patient, "email") == ["|a@b.example|"])
        #expect(tokens(patient, "deceased") == ["|false|"])
    }

    @Test func textsAreFolded() {
        let cases = [
            "  Straße\t und  MÜLLER ": "strasse und muller", "O'Brien-Smith": "obriensmith", "Ἀθῆναι ΣΑΣ": "αθηναι σασ",
            "...": "...", "ﬁn": "fin", "A\u{301}\u{200D}b": "ab", "Ω": "ω", "Dr. No": "dr no",
        ]
        for (text, folded) in cases { #expect(SearchString.fold(text) == folded, "\(text)") }
        // A text is shortened to whole characters.
        let long = SearchString(String(repeating: "é\u{1F600}", count: 1_000))
        #expect((long?.folded.utf8.count ?? 0) <= SearchString.longest && long?.folded.hasPrefix("e\u{1F600}") == true)
        #expect(long?.exact.hasPrefix("sha256:") == true)
        #expect(SearchString("a\0b") == nil && SearchString("") == nil)
    }

    @Test func valuesBeyondTheLimitAreLeftOutAndReported() throws {
        let codings = (0..<30).map { #"{"code":"c\#($0)"}"# }.joined(separator: ",")
        let json = """
            {"resourceType":"Observation","code":{"coding":[\(codings)]},"valueString":"v","status":"final"}
            """
        let few = try values(json, limits: .init(perParameter: 10, perResource: 1_000))
        #expect(tokens(few, "code") == (0..<10).map { "|c\($0)|" })
        #expect(few["code-value-string"].count == 10)
        #expect(Set(few.shortened.map { few.tree.parameters[$0].code }) == ["code", "combo-code", "code-value-string"])
        #expect(try values(json, limits: .init(perParameter: 10, perResource: 5)).entries.count == 5)
        #expect(try values(json).shortened == [])
        #expect(try values(json).entries == values(json).entries)
    }

    /// Two components with the same variants: values of the whole resource are found once for all of them.
    @Test func theTimeIsThatOfTheResource() {
        let growth = Growth.of(from: 20) { count in
            let variants = (0..<count).map { #"{"start":\#($0),"end":\#($0 + 1)}"# }.joined(separator: ",")
            let chromosomes = (0..<count).map { #"{"code":"\#($0)"}"# }.joined(separator: ",")
            let components = (0..<count).map { #"{"code":{"text":"a"},"valueQuantity":{"value":\#($0)}}"# }
            return [
                """
                {"resourceType":"MolecularSequence","referenceSeq":{"chromosome":{"coding":[\(chromosomes)]}},
                "variant":[\(variants)]}
                """, #"{"resourceType":"Observation","component":[\#(components.joined(separator: ","))]}"#,
            ].compactMap { try? Resource(Array($0.utf8)) }
        } _: { resources in
            for resource in resources { #expect(SearchValues(of: resource) != nil) }
        }
        print("search values: \(growth)")
        #expect(growth.factor < 8)
    }

    @Test func elementsOfWrongTypesYieldNothing() throws {
        let odd = try values(
            """
            {"resourceType":"Observation","code":"text","subject":[[{"reference":"Patient/1"}]],"status":{"a":1},
            "effectiveDateTime":7,"valueQuantity":{"value":"5"},"component":null,"identifier":{"value":"one"}}
            """)
        #expect(odd.entries.count == 1)
        #expect(tokens(odd, "identifier") == ["|one|"])
        #expect(SearchValues(of: try Resource(Array(#"{"resourceType":"Nothing"}"#.utf8))) == nil)
    }

    @Test(.enabled(if: SearchedExamples.archive != nil, "TRIBUTARY_CONFORMANCE is not set"))
    func everyExampleHasValuesOfItsParameters() throws {
        var kinds: [String: Int] = [:]
        var types: Set<String> = []
        for (name, resource) in try SearchedExamples.all() {
            guard let values = SearchValues(of: resource) else { continue }
            types.insert(resource.resourceType)
            #expect(values.shortened == [], "\(name)")
            #expect(values["_id"].count == (resource.id == nil ? 0 : 1), "\(name)")
            for entry in values.entries {
                #expect(values.present[entry.parameter])
                kinds[values.tree.parameters[entry.parameter].kind.rawValue, default: 0] += 1
            }
        }
        print(types.count, kinds.sorted { $0.key < $1.key })
        #expect(types.count > 100)
        #expect(kinds.count == 8, "every kind but the special one")
    }

    /// Prints the time of each by the thread's own clock; a release build decides whether it is fast enough.
    @Test func timeForAnObservationIsPrinted() throws {
        let resource = try Resource(Array(observation.utf8))
        var count = SearchValues(of: resource)?.entries.count ?? 0
        let rounds = 500
        func microseconds(_ body: () -> Void) -> Double {
            let start = ThreadTime.now()
            for _ in 0..<rounds { body() }
            return Double(ThreadTime.now() - start) / 1_000 / Double(rounds)
        }
        let all = microseconds { count += SearchValues(of: resource)?.entries.count ?? 0 }
        let entries = microseconds { count += SearchEntries(of: resource, subject: "p").entries.count }
        print("search values: \(all) µs, entries of them \(entries) µs")
        #expect(count > rounds)
    }
}
