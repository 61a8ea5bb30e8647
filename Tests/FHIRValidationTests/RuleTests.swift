import FHIR
import FHIRValidation
import Testing

@Suite struct RuleTests {
    @Test(arguments: [
        (#""valueInteger":1,"dataAbsentReason":{"text":"x"}"#, "obs-6"),
        (#""valueQuantity":{"value":1,"code":"kg"}"#, "qty-3"),
        (#""effectivePeriod":{"start":"2020-02-01","end":"2020-01-01"}"#, "per-1"),
        (#""referenceRange":[{"appliesTo":[{"text":"x"}]}]"#, "obs-3"),
        (#""referenceRange":[{"low":{"value":1,"comparator":"<"}}]"#, "sqty-1"),
        (#""subject":{"reference":"Observation/1"}"#, "reference-target"),
        (#""subject":{"reference":"Patient/1","type":"Group"}"#, "reference-type"),
        (#""subject":{"reference":"Pashent/1"}"#, "invalid-reference"),
        (#""subject":{"reference":"what is it"}"#, "invalid-reference"),
        (#""subject":{"reference":"urn:uuid:nope"}"#, "invalid-reference"),
        (##""subject":{"reference":"#gone"}"##, "ref-1"),
        (#""contained":[{"resourceType":"Patient","id":"p"}]"#, "dom-3"),
        (
            ##""subject":{"reference":"#p"},"contained":[{"resourceType":"Patient","id":"p","meta":{"versionId":"1"}}]"##,
            "dom-4"
        ),
        (
            ##""subject":{"reference":"#p"},"contained":[{"resourceType":"Patient","id":"p","contained":[{"resourceType":"Patient","id":"q"}]}]"##,
            "dom-2"
        ),
        (
            ##""subject":{"reference":"#p"},"contained":[{"resourceType":"Patient","id":"p"},{"resourceType":"Group","id":"p","type":"person","actual":true}]"##,
            "duplicate-id"
        ),
        (
            #""text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\"><script>1</script></div>"}"#,
            "txt-1"
        ),
        (
            #""text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\"><p onclick=\"x()\">a</p></div>"}"#,
            "txt-1"
        ),
        (
            #""text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\"><a href=\"java\nscript:x\">a</a></div>"}"#,
            "txt-1"
        ),
        (#""text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\"> </div>"}"#, "txt-2"),
        (#""text":{"status":"generated","div":"<p>a</p>"}"#, "txt-1"),
        (#""text":{"status":"generated","div":"<div xmlns=\"http://www.w3.org/1999/xhtml\"><b>a</div></b>"}"#, "txt-1"),
        (#""extension":[{"url":"http://a.b/c"}]"#, "ext-1"),
        (
            #""extension":[{"url":"http://a.b/c","valueString":"a","extension":[{"url":"d","valueString":"e"}]}]"#,
            "ext-1"
        ),
        (#""extension":[{"url":"relative","valueString":"a"}]"#, "extension-url"),
        (#""extension":[{"valueString":"a"}]"#, "required-element"),
        (
            #""extension":[{"url":"http://hl7.org/fhir/StructureDefinition/patient-birthTime","valueDateTime":"2020"}]"#,
            "extension-context"
        ),
        (
            #""extension":[{"url":"http://hl7.org/fhir/StructureDefinition/observation-bodyPosition","valueString":"x"}]"#,
            "extension-type"
        ),
        (#""category":[{"coding":[{"id":"x","code":"a"},{"id":"x","code":"b"}]}]"#, "duplicate-id"),
    ])
    func brokenRuleIsReported(member: String, code: String) {
        let found = Validated.errors(Validated.observation(member))
        #expect(found.contains { $0.hasPrefix(code + " ") }, "\(found)")
    }

    @Test func knownExtensionsInTheirContextAreValid() {
        let birth =
            #"{"url":"http://hl7.org/fhir/StructureDefinition/patient-birthTime","valueDateTime":"1970-01-01T10:00:00Z"}"#
        #expect(
            Validated.errors(Validated.patient(#""birthDate":"1970-01-01","_birthDate":{"extension":[\#(birth)]}"#))
                == [])
        let mother = #"{"url":"http://hl7.org/fhir/StructureDefinition/patient-mothersMaidenName","valueString":"A"}"#
        #expect(Validated.errors(Validated.patient(#""extension":[\#(mother)]"#)) == [])
    }

    @Test func circularContainedResourcesAreReported() {
        let circle =
            ##""contained":[{"resourceType":"Organization","id":"a","name":"A","partOf":{"reference":"#b"}},{"resourceType":"Organization","id":"b","name":"B","partOf":{"reference":"#a"}}]"##
        #expect(Validated.errors(Validated.patient(circle)).contains { $0.hasPrefix("circular-contained") })
        let reached = FHIRValidator().validate(
            Array(Validated.patient(##""managingOrganization":{"reference":"#a"},\##(circle)"##).utf8))
        #expect(reached.errors == [])
        #expect(reached.issues.contains { $0.code == "circular-contained" })
    }

    @Test func aContainedResourceThatRefersToItsContainerNeedsNoReference() {
        let text =
            ##"{"resourceType":"Patient","contained":[{"resourceType":"Provenance","id":"p","target":[{"reference":"#"}],"recorded":"2020-01-01T00:00:00Z","agent":[{"who":{"display":"A"}}]}]}"##
        #expect(Validated.errors(text) == [])
    }

    @Test(arguments: [
        (#""type":"collection","total":1"#, "bdl-1"),
        (#""type":"collection","entry":[{"search":{"mode":"match"},"resource":{"resourceType":"Patient"}}]"#, "bdl-2"),
        (#""type":"batch","entry":[{"resource":{"resourceType":"Patient"}}]"#, "bdl-3"),
        (#""type":"collection","entry":[{"response":{"status":"200"}}]"#, "bdl-4"),
        (#""type":"collection","entry":[{"fullUrl":"http://a/Patient/1"}]"#, "bdl-5"),
        (
            #""type":"collection","entry":[{"fullUrl":"http://a/Patient/1","resource":{"resourceType":"Patient","id":"1"}},{"fullUrl":"http://a/Patient/1","resource":{"resourceType":"Patient","id":"1"}}]"#,
            "bdl-7"
        ),
        (
            #""type":"collection","entry":[{"fullUrl":"http://a/Patient/1/_history/2","resource":{"resourceType":"Patient","id":"1"}}]"#,
            "bdl-8"
        ),
        (#""type":"document""#, "bdl-9"),
        (
            #""type":"collection","entry":[{"fullUrl":"http://a/Patient/1","resource":{"resourceType":"Patient","id":"2"}}]"#,
            "full-url"
        ),
        (#""type":"transaction","entry":[{"request":{"method":"POST","url":"Patient"}}]"#, "entry-resource"),
        (#""type":"collection","entry":[{"resource":{"resourceType":"Patient","foo":1}}]"#, "unknown-element"),
    ])
    func theRulesOfBundlesAreChecked(members: String, code: String) {
        let found = Validated.errors(#"{"resourceType":"Bundle",\#(members)}"#)
        #expect(found.contains { $0.hasPrefix(code + " ") }, "\(found)")
    }

    @Test func referenceInABundleIsCheckedAgainstItsTarget() {
        let bundle =
            #"{"resourceType":"Bundle","type":"collection","entry":[{"fullUrl":"urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0","resource":{"resourceType":"Organization","name":"A"}},{"resource":\#(Validated.observation(#""subject":{"reference":"urn:uuid:0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0"}"#))}]}"#
        #expect(Validated.errors(bundle) == ["reference-target Bundle.entry[1].resource.subject.reference"])
    }

    @Test func existsConditionNeedsABooleanAnswer() {
        let form =
            #"{"resourceType":"Questionnaire","status":"draft","item":[{"linkId":"1","type":"boolean","text":"a"},{"linkId":"2","type":"boolean","text":"b","enableWhen":[{"question":"1","operator":"exists","answerBoolean":true}]}]}"#
        #expect(Validated.errors(form) == [])
        #expect(
            Validated.errors(form.replacing("answerBoolean\":true", with: "answerInteger\":1")).contains {
                $0.hasPrefix("que-7")
            })
    }

    @Test func theSameElementHasItsIdInSnapshotAndDifferential() {
        func definition(_ snapshot: String, _ differential: String) -> [String] {
            Validated.errors(
                #"{"resourceType":"StructureDefinition","url":"http://a.b/p","name":"P","status":"draft","kind":"resource","abstract":false,"type":"Patient","baseDefinition":"http://hl7.org/fhir/StructureDefinition/Patient","derivation":"constraint","snapshot":{"element":[\#(snapshot)]},"differential":{"element":[\#(differential)]}}"#
            ).filter { $0.hasPrefix("duplicate-id") }
        }
        let element =
            #"{"id":"Patient","path":"Patient","min":0,"max":"*","base":{"path":"Patient","min":0,"max":"*"}}"#
        #expect(definition(element, element) == [])
        #expect(definition(element, element + "," + element).count == 1)
    }
}
