import FHIR
import FormOperations
import Foundation
import Testing

/// Extractions by template that another implementation publishes (`conformance/sdc/template-extract`).
@Suite(.enabled(if: Samples.folder != nil, "TRIBUTARY_CONFORMANCE is not set"))
struct PublishedExtractionTests {
    /// Returns the entries without addresses, each as a comparable text.
    private func entries(_ bundle: JSON) -> [String] {
        (bundle["entry"]?.array ?? []).map { entry in
            let request = entry["request"]
            return comparable(request?["method"]) + comparable(request?["url"]) + comparable(entry["resource"])
        }.sorted()
    }

    private func files(_ name: String) throws -> (Questionnaire, QuestionnaireResponse, JSON) {
        (
            Questionnaire(try Samples.resource("template-extract/\(name)/questionnaire.json")),
            QuestionnaireResponse(try Samples.resource("template-extract/\(name)/response.json")),
            .object(try Samples.resource("template-extract/\(name)/expected.json"))
        )
    }

    @Test func immunisationsAreExtractedAsPublished() throws {
        let (form, response, expected) = try files("Immunisation")
        // One of the published Immunizations has no occurrence, which R4 requires.
        let (bundle, problems) = Samples.extract(form, response, isValid: false)
        #expect(problems == [])
        #expect(entries(bundle.json) == entries(expected))
    }

    @Test func regularMedicationsAreExtractedAsPublished() throws {
        let (form, response, expected) = try files("RegularMedications")
        let (bundle, problems) = Samples.extract(form, response)
        #expect(problems == [])
        func timed(_ bundle: JSON) -> JSON {
            var bundle = bundle
            bundle["entry"] = .array(
                (bundle["entry"]?.array ?? []).map { entry in
                    var entry = entry
                    entry["resource"]?["dateAsserted"] = "now"
                    return entry
                })
            return bundle
        }
        #expect(entries(timed(bundle.json)) == entries(timed(expected)))
        for resource in Samples.resources(bundle) {
            #expect(resource["dateAsserted"]?.string == "2026-11-28T10:00:00.000+01:00")
        }
    }

    @Test func severalResourcesReferToOneNewPatientAsPublished() throws {
        var (form, response, expected) = try files("ComplexTemplateExtract")
        let text = form.json.text().replacing("%NewPatientId", with: "%NewPatientId.substring(9)")
        form = Questionnaire(try #require(try Samples.json(text).object))
        let (bundle, problems) = Samples.extract(form, response)
        #expect(problems == [])
        let id = try #require(Samples.resources(bundle).first { $0["resourceType"] == "Patient" }?["id"]?.string)
        let published = "7579e19d-4e79-4305-aad4-531147ee710f"
        var wanted = expected.text().replacing(published, with: id)
        wanted = wanted.replacing("2025-05-28T05:11:40.833Z", with: try #require(response.authored).text)
        #expect(entries(bundle.json) == entries(try Samples.json(wanted)))
    }

    @Test(arguments: ["extract-complex-template", "extract-complex-template2"])
    func formsOfHL7AreExtracted(_ name: String) throws {
        let form = Questionnaire(try Samples.resource("forms/\(name).json"))
        let (_, response, _) = try files("ComplexTemplateExtract")
        let (bundle, problems) = Samples.extract(form, response, isValid: name == "extract-complex-template")
        let errors = problems.filter { $0.severity == .error }
        #expect(errors == [])
        let types = Samples.resources(bundle).compactMap { $0["resourceType"]?.string }.sorted()
        #expect(types == ["Observation", "Observation", "Observation", "Patient", "RelatedPerson"])
        if name == "extract-complex-template" {
            let urls = Set((bundle.object["entry"]?.array ?? []).compactMap { $0["fullUrl"]?.string })
            let subjects = Samples.resources(bundle).compactMap { $0["subject"]?["reference"]?.string }
            #expect(subjects.count == 3)
            for subject in subjects { #expect(urls.contains(String(subject.replacing("Patient/", with: "")))) }
        }
    }

    @Test func theSameExtractionGivesTheSameBundle() throws {
        let (form, response, _) = try files("RegularMedications")
        #expect(Samples.extract(form, response).bundle == Samples.extract(form, response).bundle)
    }
}
