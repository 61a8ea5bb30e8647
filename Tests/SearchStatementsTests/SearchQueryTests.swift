import FHIR
import Foundation
import Testing

@testable import FHIRHTTP
@testable import FHIRSearch

@Suite struct SearchQueryTests {
    private func request(
        _ query: String, _ scope: SearchQuery.Scope = .type("Observation"), strict: Bool = false
    ) throws -> SearchQuery {
        try SearchQuery(scope, parameters: SearchStore.parameters(query), strict: strict, now: SearchStore.time)
    }

    private func refusal(
        _ query: String, _ scope: SearchQuery.Scope = .type("Observation"), strict: Bool = false
    ) -> String? {
        do {
            _ = try request(query, scope, strict: strict)
            return nil
        } catch let error as SearchConditionError {
            return error.code
        } catch {
            return (error as? RecordsFailure)?.code
        }
    }

    @Test func unknownParametersAreIgnoredOrRefused() throws {
        for query in ["nonsense=1", "_list=42", "_filter=a", "_text=x", "_content=x", "subject.nonsense=1", "near=1"] {
            if !query.contains(".") {
                let lenient = try request(query + "&code=a")
                #expect(lenient.used.map(\.name) == ["code"])
                #expect(lenient.ignored == [String(query.prefix { $0 != "=" })])
            }
            #expect(refusal(query, strict: true) == (query.contains(".") ? "parameter-unknown" : "parameter-unknown"))
        }
        #expect(refusal("code:nonsense=a") == "modifier-unknown")
        #expect(refusal("_sort=nonsense", strict: true) == "parameter-unknown")
        #expect(try request("_sort=nonsense").order == .none)
        #expect(try request("_sort=nonsense").used.isEmpty)
        #expect(try request("_sort=nonsense").ignored == ["_sort"])
    }

    @Test(arguments: [
        ("_count=x", "parameter-invalid"), ("_count=-1", "parameter-invalid"), ("_summary=most", "parameter-invalid"),
        ("_total=some", "parameter-invalid"), ("_cursor=zzz", "parameter-invalid"),
        ("_cursor=s1.n", "parameter-invalid"),
        ("_sort=date&_cursor=n1", "parameter-invalid"), ("_sort=date&_cursor=s1.tff", "parameter-invalid"),
        ("_sort=code&_cursor=s1.tff", "parameter-invalid"), ("_sort=identifier", "sort-unsupported"),
        ("_sort=code-value-quantity", "sort-unsupported"), ("_sort=date:desc", "modifier-unknown"),
        ("_sort=date,code,subject,status,_id,category", "too-costly"), ("_contained=true", "parameter-invalid"),
        ("_summary=text&_include=Observation:subject", "parameter-invalid"),
        ("_summary=true&_elements=code", "parameter-invalid"), ("_elements=a.b.c", "parameter-invalid"),
        ("_include=Observation", "parameter-invalid"), ("_include=Nothing:subject", "parameter-invalid"),
        ("_include=Observation:nothing", "parameter-unknown"), ("_include=Observation:code", "chain-invalid"),
        ("_include=Observation:subject:Practitioner", "chain-invalid"),
        ("_include:sometimes=Observation:subject", "modifier-unknown"), ("code.name=x", "chain-invalid"),
        ("subject:Practitioner.name=x", "chain-invalid"), ("subject:Patient.nothing=x", "parameter-unknown"),
        ("subject:Patient.birthdate=tomorrow", "parameter-invalid"), ("_has:Group:member=x", "chain-invalid"),
        ("_has:Group:code:_id=x", "chain-invalid"), ("code=a\u{0}b", "parameter-invalid"),
        ("has-member.has-member.has-member.has-member.has-member.has-member.code=a", "too-costly"),
        ("focus.patient.link._id=a", "too-costly"),
    ])
    func invalidQueriesAreRefusedWithTheirCode(query: String, code: String) {
        #expect(refusal(query, strict: true) == code, "\(query)")
    }

    @Test func includesAndValuesAreBounded() {
        let includes = TypeModel.r4.resourceTypes.prefix(30).map { "_revinclude=\($0):*" }.joined(separator: "&")
        #expect(refusal(includes) == "too-costly")
        let values = (0..<501).map(String.init).joined(separator: ",")
        #expect(refusal("code=" + values) == "too-costly")
    }

    @Test func theAnswersFormIsRead() throws {
        let all = try request("_summary=count&_total=none&_sort=-date,code&_sort=_id&_include=Observation:subject")
        #expect(all.isCountOnly && all.total == SearchQuery.Total.none && all.includes.count == 1 && all.isOfAll)
        #expect(all.order.keys.map(\.code) == ["date", "code", "_id"])
        #expect(all.order.keys.map(\.isDescending) == [true, false, false])
        #expect(try request("_count=100000").count == SearchQuery.maximumCount)
        #expect(try request("_elements=code,Patient.name&_elements=status").subset != nil)
        #expect(try !request("code=a").isOfAll)
    }

    @Test func searchOfSeveralTypesAcceptsOnlyCommonParameters() throws {
        let two = try request("_type=Observation,Condition&code=a&_sort=-code", .system, strict: true)
        #expect(two.parts.map(\.type) == ["Condition", "Observation"])
        // https://hl7.org/fhir/R4/http.html#vsearch: an error, also for a lenient client.
        for strict in [true, false] {
            for query in [
                "_type=Observation,Patient&code=a", "_type=Patient,Encounter&birthdate=1900", "birthdate=1900",
            ] {
                #expect(refusal(query, .system, strict: strict) == "parameter-not-common", "\(query)")
            }
        }
        #expect(refusal("_type=Observation,Patient&nonsense=a", .system, strict: true) == "parameter-unknown")
        #expect(try request("_type=Observation,Patient&nonsense=a", .system).ignored == ["nonsense"])
        #expect(try request("_type=Patient&birthdate=1900", .system).conditions.count == 1)
        #expect(refusal("_type=Observation,Nothing", .system) == "parameter-invalid")
        #expect(refusal("_type=Patient", strict: true) == "parameter-unknown")
        #expect(try request("_id=a", .system).parts.count == TypeModel.r4.resourceTypes.count)
        let patient = try #require(SearchCompartment(type: "Patient", id: "p"))
        #expect(refusal("", .compartment(patient, type: "Organization")) == "compartment-unknown")
        #expect(SearchCompartment(type: "Organization", id: "p") == nil)
        #expect(try request("", .compartment(patient, type: nil)).parts.map(\.type).contains("Patient"))
    }

    /// A cursor is read back unchanged for any values.
    @Test func cursorsSurviveTheirText() {
        let kinds: [SearchOrder.Kind] = [.integer, .real, .text, .text]
        for values: [PageCursor.Value] in [
            [.integer(.min), .real(-.infinity), .text("ä.%\u{10FFFF}"), .text("")],
            [.none, .none, .none, .none], [.integer(5), .real(-0.1), .text("a"), .none],
        ] {
            let cursor = PageCursor(values: values, number: 77)
            #expect(PageCursor(cursor.text, kinds: kinds) == cursor)
            #expect(PageCursor(cursor.text, kinds: kinds.reversed()) == nil || values.allSatisfy { $0 == .none })
            #expect(PageCursor(cursor.text, kinds: []) == nil)
        }
        #expect(PageCursor(PageCursor(values: [], number: 3).text, kinds: []) == PageCursor(values: [], number: 3))
        #expect(PageCursor("s1.r" + String(Double.nan.bitPattern, radix: 36), kinds: [.real]) == nil)
    }
}
