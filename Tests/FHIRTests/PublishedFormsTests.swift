import FHIR
import Foundation
import Testing

@Suite struct PublishedFormsTests {
    private func forms(_ texts: String...) throws -> PublishedForms<String> {
        PublishedForms(
            try texts.map { text in
                let members = try #require(try JSON(parsing: "{\"resourceType\":\"Questionnaire\",\(text)}").object)
                let form = Questionnaire(members)
                return (questionnaire: form, form: form.id ?? "")
            })
    }

    @Test func aFormIsFoundByURLVersionAndID() throws {
        let forms = try forms(
            #""id":"f1","url":"http://x/f","version":"1""#, #""id":"f2","url":"http://x/f","version":"2""#)
        #expect(forms.form("http://x/f|1") == "f1")
        #expect(forms.form("http://x/f|2") == "f2")
        #expect(forms.form("http://x/f|3") == nil)
        #expect(forms.form("Questionnaire/f1") == "f1")
        #expect(forms.form("https://server.example/fhir/Questionnaire/f1/_history/3") == "f1")
        #expect(forms.form("f1") == "f1")
    }

    @Test(arguments: [
        "http://y/f", "http://x/f1", "https://other.example/f1", "Patient/f1", "", "|1", "http://x/f|", "http://x/f |1",
    ])
    func otherNamesFindNoForm(name: String) throws {
        let forms = try forms(#""id":"f1","url":"http://x/f","version":"1""#)
        #expect(forms.form(name) == nil)
    }

    @Test(arguments: [
        (#""version":"1.9.0""#, #""version":"1.10.0""#), (#""version":"1""#, #""version":"1.1""#),
        (#""version":"1.0-beta""#, #""version":"1.0""#), (#""version":"v9""#, #""version":"v10""#),
        (#""version":"1.0-rc2""#, #""version":"1.0-rc10""#), (#""date":"2020-01-01""#, #""version":"1""#),
        (#""date":"2020-01-01""#, #""date":"2021""#),
        (#""version":"9","status":"retired""#, #""version":"8","status":"active""#),
        (#""version":"9","status":"draft""#, #""version":"8","status":"active""#),
        (#""version":"007""#, #""version":"8""#),
    ])
    func withoutAVersionTheNewestCountsInAnyOrder(older: String, newer: String) throws {
        let (old, new) = (#""id":"old","url":"http://x/f",\#(older)"#, #""id":"new","url":"http://x/f",\#(newer)"#)
        #expect(try forms(old, new).form("http://x/f") == "new")
        #expect(try forms(new, old).form("http://x/f") == "new")
    }

    @Test func firstOfTwoFormsWithTheSameURLIsFound() throws {
        let forms = try forms(
            #""id":"a","url":"http://x/f","version":"1""#, #""id":"b","url":"http://x/f","version":"1""#)
        #expect(forms.form("http://x/f") == "a" && forms.form("http://x/f|1") == "a")
    }
}
