import FHIR
import FHIRValidation
import Testing

@Suite struct ProfileTests {
    private func profile(
        _ elements: String, type: String = "Observation", url: String = "http://a.b/p", base: String? = nil,
        snapshot: Bool = false
    )
        throws -> JSONObject
    {
        let text =
            #"{"resourceType":"StructureDefinition","url":"\#(url)","name":"P","status":"draft","kind":"resource","abstract":false,"type":"\#(type)","baseDefinition":"\#(base ?? "http://hl7.org/fhir/StructureDefinition/" + type)","derivation":"constraint","\#(snapshot ? "snapshot" : "differential")":{"element":[{"id":"\#(type)","path":"\#(type)"},\#(elements)]}}"#
        return try #require(try JSON(Array(text.utf8)).object)
    }

    private func errors(_ resource: String, _ profiles: JSONObject...) -> [String] {
        Validated.errors(resource, FHIRValidator(profiles: profiles), profiles: [profiles[0]["url"]?.string ?? ""])
    }

    private let slicedByCode = """
        {"id":"Observation.component","path":"Observation.component","min":1,"slicing":{"discriminator":[{"type":"pattern","path":"code"}],"rules":"closed"}},
        {"id":"Observation.component:a","path":"Observation.component","sliceName":"a","min":1,"max":"1"},
        {"id":"Observation.component:a.code","path":"Observation.component.code","patternCodeableConcept":{"coding":[{"system":"http://s","code":"a"}]}},
        {"id":"Observation.component:a.value[x]","path":"Observation.component.value[x]","min":1,"type":[{"code":"Quantity"}]}
        """

    private func component(_ code: String, _ value: String) -> String {
        #"{"code":{"coding":[{"system":"http://s","code":"\#(code)"}]},\#(value)}"#
    }

    @Test func cardinalityFixedPatternTypeAndConstraintAreChecked() throws {
        let profile = try profile(
            """
            {"id":"Observation.subject","path":"Observation.subject","min":1},
            {"id":"Observation.note","path":"Observation.note","max":"0"},
            {"id":"Observation.status","path":"Observation.status","fixedCode":"final"},
            {"id":"Observation.code","path":"Observation.code","patternCodeableConcept":{"text":"x"},"constraint":[{"key":"my-1","severity":"error","human":"no codings","expression":"coding.empty()"}]},
            {"id":"Observation.value[x]","path":"Observation.value[x]","type":[{"code":"Quantity"}]}
            """)
        #expect(errors(Validated.observation(#""subject":{"display":"A"}"#), profile) == [])
        let wrong =
            #"{"resourceType":"Observation","status":"preliminary","code":{"coding":[{"code":"y"}]},"valueString":"a","note":[{"text":"n"}]}"#
        let codes = Set(errors(wrong, profile).map { $0.split(separator: " ")[0] })
        #expect(codes == ["profile-cardinality", "fixed-value", "pattern-value", "my-1", "profile-element-type"])
    }

    @Test(arguments: [true, false])
    func slicesByPatternAreCountedAndClosed(snapshot: Bool) throws {
        let profile = try profile(slicedByCode, snapshot: snapshot)
        let right = Validated.observation(#""component":[\#(component("a", #""valueQuantity":{"value":1}"#))]"#)
        #expect(errors(right, profile) == [])
        let wrongType = Validated.observation(#""component":[\#(component("a", #""valueString":"x""#))]"#)
        #expect(errors(wrongType, profile).contains { $0.hasPrefix("profile-element-type") })
        let other = Validated.observation(
            #""component":[\#(component("a", #""valueQuantity":{"value":1}"#)),\#(component("b", #""valueString":"x""#))]"#
        )
        #expect(errors(other, profile) == ["closed-slicing Observation.component[1]"])
        let twice = Validated.observation(
            #""component":[\#(component("a", #""valueQuantity":{"value":1}"#)),\#(component("a", #""valueQuantity":{"value":2}"#))]"#
        )
        #expect(errors(twice, profile).contains { $0.hasPrefix("profile-cardinality") })
        #expect(errors(Validated.observation(), profile).contains { $0.hasPrefix("profile-cardinality") })
    }

    @Test func slicesByValueInsideAreFound() throws {
        let profile = try profile(
            """
            {"id":"Observation.component","path":"Observation.component","slicing":{"discriminator":[{"type":"value","path":"code.coding.code"}],"rules":"open"}},
            {"id":"Observation.component:a","path":"Observation.component","sliceName":"a","max":"1"},
            {"id":"Observation.component:a.code.coding.code","path":"Observation.component.code.coding.code","min":1,"fixedCode":"a"}
            """)
        let two = Validated.observation(
            #""component":[\#(component("a", #""valueInteger":1"#)),\#(component("a", #""valueInteger":2"#))]"#)
        #expect(errors(two, profile).contains { $0.hasPrefix("profile-cardinality") })
        let one = Validated.observation(
            #""component":[\#(component("a", #""valueInteger":1"#)),\#(component("b", #""valueInteger":2"#))]"#)
        #expect(errors(one, profile) == [])
    }

    @Test func slicesByTypeAndByExistenceAreFound() throws {
        let byType = try profile(
            """
            {"id":"Observation.component","path":"Observation.component","slicing":{"discriminator":[{"type":"type","path":"value"}],"rules":"open"}},
            {"id":"Observation.component:q","path":"Observation.component","sliceName":"q","max":"1"},
            {"id":"Observation.component:q.value[x]","path":"Observation.component.value[x]","type":[{"code":"Quantity"}]}
            """)
        let two = Validated.observation(
            #""component":[\#(component("a", #""valueQuantity":{"value":1}"#)),\#(component("b", #""valueQuantity":{"value":2}"#))]"#
        )
        #expect(errors(two, byType).contains { $0.hasPrefix("profile-cardinality") })
        let mixed = Validated.observation(
            #""component":[\#(component("a", #""valueQuantity":{"value":1}"#)),\#(component("b", #""valueString":"x""#))]"#
        )
        #expect(errors(mixed, byType) == [])
        let byExistence = try profile(
            """
            {"id":"Observation.component","path":"Observation.component","slicing":{"discriminator":[{"type":"exists","path":"interpretation"}],"rules":"open"}},
            {"id":"Observation.component:i","path":"Observation.component","sliceName":"i","max":"0"},
            {"id":"Observation.component:i.interpretation","path":"Observation.component.interpretation","min":1}
            """)
        let interpreted = Validated.observation(
            #""component":[{"code":{"text":"a"},"valueInteger":1,"interpretation":[{"text":"high"}]}]"#)
        #expect(errors(interpreted, byExistence).contains { $0.hasPrefix("profile-cardinality") })
        #expect(errors(mixed, byExistence) == [])
    }

    @Test func slicesByProfileAreFound() throws {
        let named = try profile(
            #"{"id":"Patient.birthDate","path":"Patient.birthDate","min":1}"#, type: "Patient", url: "http://a.b/born")
        let outer = try profile(
            """
            {"id":"Bundle.entry","path":"Bundle.entry","slicing":{"discriminator":[{"type":"profile","path":"resource"}],"rules":"open"}},
            {"id":"Bundle.entry:born","path":"Bundle.entry","sliceName":"born","min":1},
            {"id":"Bundle.entry:born.resource","path":"Bundle.entry.resource","type":[{"code":"Patient","profile":["http://a.b/born"]}]}
            """, type: "Bundle")
        func bundle(_ patient: String) -> String {
            #"{"resourceType":"Bundle","type":"collection","entry":[{"resource":\#(patient)}]}"#
        }
        #expect(errors(bundle(Validated.patient(#""birthDate":"1970""#)), outer, named) == [])
        #expect(
            errors(bundle(Validated.patient(#""active":true"#)), outer, named).contains {
                $0.hasPrefix("profile-cardinality")
            })
    }

    @Test func derivedProfileIncludesTheRulesOfItsBase() throws {
        let base = try profile(slicedByCode, url: "http://a.b/base")
        let derived = try profile(
            #"{"id":"Observation.subject","path":"Observation.subject","min":1}"#, base: "http://a.b/base")
        let found = errors(Validated.observation(), derived, base)
        #expect(found.filter { $0.hasPrefix("profile-cardinality") }.count == 3, "\(found)")
    }

    @Test func extensionsOfAProfileAreSlicedByTheirURL() throws {
        let color = try profile(
            """
            {"id":"Extension.url","path":"Extension.url","fixedUri":"http://a.b/color"},
            {"id":"Extension.value[x]","path":"Extension.value[x]","min":1,"type":[{"code":"string"}]}
            """, type: "Extension", url: "http://a.b/color")
        let outer = try profile(
            """
            {"id":"Patient.extension","path":"Patient.extension","slicing":{"discriminator":[{"type":"value","path":"url"}],"rules":"open"}},
            {"id":"Patient.extension:color","path":"Patient.extension","sliceName":"color","min":1,"type":[{"code":"Extension","profile":["http://a.b/color"]}]}
            """, type: "Patient")
        #expect(
            errors(Validated.patient(#""extension":[{"url":"http://a.b/color","valueString":"red"}]"#), outer, color)
                == [])
        #expect(
            errors(Validated.patient(#""extension":[{"url":"http://a.b/other","valueString":"red"}]"#), outer, color)
                .count == 1)
        let wrong = errors(
            Validated.patient(#""extension":[{"url":"http://a.b/color","valueInteger":1}]"#), outer, color)
        #expect(wrong.contains { $0.hasPrefix("profile-element-type") }, "\(wrong)")
    }

    @Test(arguments: [
        (#"{"id":"Observation.note","path":"Observation.note","min":2,"max":"1"}"#, "minimum"),
        (
            #"{"id":"Observation.status","path":"Observation.status","fixedCode":"final","patternCode":"amended"}"#,
            "pattern"
        ),
        (
            #"{"id":"Observation.component","path":"Observation.component","slicing":{"rules":"open"}},{"id":"Observation.component:a","path":"Observation.component","sliceName":"a","min":1}"#,
            "discriminator"
        ),
        (
            #"{"id":"Observation.code","path":"Observation.code","constraint":[{"key":"x","severity":"error","human":"x","expression":"(("}]}"#,
            "expression"
        ),
        (#"{"id":"Patient.name","path":"Patient.name","min":1}"#, "type"),
    ])
    func contradictoryProfileIsReported(elements: String, word: String) throws {
        let report = FHIRValidator(profiles: [try profile(elements)])
            .validate(Array(Validated.observation().utf8), profiles: ["http://a.b/p"])
        #expect(
            report.errors.contains { $0.code == "invalid-profile" && $0.message.contains(word) }, "\(report.errors)")
    }

    @Test func circularProfilesEndTheValidation() throws {
        let one = try profile(
            #"{"id":"Observation.note","path":"Observation.note","min":0}"#, url: "http://a.b/1", base: "http://a.b/2")
        let two = try profile(
            #"{"id":"Observation.note","path":"Observation.note","min":0}"#, url: "http://a.b/2", base: "http://a.b/1")
        #expect(errors(Validated.observation(), one, two).contains { $0.hasPrefix("invalid-profile") })
        let nested = try profile(
            #"{"id":"Questionnaire.item","path":"Questionnaire.contained","type":[{"code":"Questionnaire","profile":["http://a.b/q"]}]}"#,
            type: "Questionnaire", url: "http://a.b/q")
        _ = errors(#"{"resourceType":"Questionnaire","status":"draft"}"#, nested)
    }

    @Test func profileOfAnotherTypeIsReported() throws {
        let profile = try profile(#"{"id":"Observation.note","path":"Observation.note","min":0}"#)
        #expect(errors(Validated.patient(#""active":true"#), profile) == ["profile-type Patient"])
    }

    @Test func aProfileThatTheResourceNamesIsCheckedWhereItIsSupplied() throws {
        let profile = try profile(#"{"id":"Observation.subject","path":"Observation.subject","min":1}"#)
        let text = Validated.observation(#""meta":{"profile":["http://a.b/p"]}"#)
        #expect(Validated.errors(text, FHIRValidator(profiles: [profile])).count == 1)
        let unknown = FHIRValidator().validate(Array(text.utf8))
        #expect(unknown.isValid && unknown.issues.contains { $0.code == "unknown-profile" })
    }
}
