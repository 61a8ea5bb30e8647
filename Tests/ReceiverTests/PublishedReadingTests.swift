import Foundation
import Hummingbird
import ServerHTTP
import Testing

@testable import Receiver

@Suite(.timeLimit(.minutes(10)))
struct PublishedReadingTests {
    @Test func filesAreServedVerbatimWithTheirRelease() async throws {
        try await Study.with { study in
            let device = try await study.device()
            for type in PublishedReading.types {
                let answer = try await study.send("GET", "/c3pro/fhir/\(type)/sleep", token: device.token)
                #expect(answer.text == #"{ "resourceType":"\#(type)", "x":1.50 }"#)
                #expect(answer.header("Content-Type") == "application/fhir+json; fhirVersion=3.0")
                #expect(answer.header("Vary") == "Accept")
                let unknown = try await study.send("GET", "/fhir/\(type)/none", token: device.token)
                #expect(unknown.status == 404 && unknown.outcomeCode == "\(type.lowercased())-unknown")
                for id in ["..%2f..%2fstudy.json", "a_b", String(repeating: "a", count: 65)] {
                    let wrong = try await study.send("GET", "/fhir/\(type)/" + id, token: device.token)
                    #expect(wrong.status == 400 && wrong.outcomeCode == "path-invalid", "\(id)")
                }
                let control = try await study.send("GET", "/fhir/\(type)/%00", token: device.token)
                #expect(control.status == 400 && control.outcomeCode == "address-invalid")
            }
        }
    }

    @Test(
        arguments: [
            (nil, "application/fhir+json; fhirVersion=4.0"),
            ("application/json+fhir", "application/json+fhir; fhirVersion=1.0"),
            ("Application/JSON+FHIR; charset=utf-8", "application/json+fhir; fhirVersion=1.0"),
            ("application/fhir+json;fhirVersion=1.0.2", "application/fhir+json; fhirVersion=1.0"),
            ("application/fhir+json; fhirVersion=\"3.0\"", "application/fhir+json; fhirVersion=3.0"),
            ("application/json+fhir; fhirVersion=3.0.1", "application/fhir+json; fhirVersion=3.0"),
            ("text/html, application/fhir+json; fhirVersion=3.0; q=0.8", "application/fhir+json; fhirVersion=3.0"),
            ("a/b; fhirVersion=3.0; q=0.1, a/b; fhirVersion=1.0; q=0.2", "application/fhir+json; fhirVersion=1.0"),
            ("application/fhir+json; fhirVersion=3.0; q=0", "application/fhir+json; fhirVersion=4.0"),
            ("application/fhir+json; fhirVersion=5.0", "application/fhir+json; fhirVersion=4.0"),
            ("application/fhir+json; fhirVersion=3.0.x", "application/fhir+json; fhirVersion=4.0"),
            (";;,,;q=", "application/fhir+json; fhirVersion=4.0"),
        ] as [(String?, String)])
    func acceptHeaderSelectsTheRelease(accept: String?, contentType: String) async throws {
        try await Study.with { study in
            let device = try await study.device()
            for path in ["/fhir/ValueSet/sleep", "/fhir/ValueSet"] {
                let answer = try await study.send(
                    "GET", path, token: device.token, headers: accept.map { ["Accept": $0] } ?? [:])
                #expect(answer.status == 200 && answer.header("Content-Type") == contentType)
            }
        }
    }

    @Test func aSearchIsBounded() async throws {
        try await Study.with(changing(\.scheme, "https")) { study in
            let device = try await study.device()
            func ask(_ query: String) async throws -> Answer {
                try await study.send("GET", "/c3pro/fhir/Questionnaire" + query, token: device.token)
            }
            #expect(try await ask("").text == "Questionnaire 50 0 [] https://localhost/c3pro/fhir")
            let some = try await ask("?_id=a%2Cb&_count=7&_cursor=14&name=x")
            #expect(
                some.text.hasPrefix(#"Questionnaire 7 14 [(name: "_id", value: "a,b"), (name: "name", value: "x")]"#))
            #expect(try await ask("?_count=999999").text.hasPrefix("Questionnaire 200 0"))
            for query in ["?_count=-1", "?_count=", "?_count=9999999", "?_count=1&_count=2", "?_cursor=a", "?_id=%ff"] {
                let wrong = try await ask(query)
                #expect(wrong.status == 400 && wrong.outcomeCode == "query-invalid", "\(query)")
            }
        }
    }

    @Test func devicesReadPublishedContentAndOthersTheRecordsRoutes() async throws {
        let theirs = RouteTable.theirs(["/fhir/:type", "/fhir/:type/:id"])
        try await Study.with(changing(\.authenticateStaff, knowsStaff), clients: [theirs]) { study in
            let device = try await study.device()
            let types = ["Questionnaire", "ValueSet", "Contract"]
            for (type, path) in types.flatMap({ type in ["", "/sleep"].map { (type, "/fhir/" + type + $0) } }) {
                #expect(try await study.send("GET", path, token: staffToken).text == "theirs")
                #expect(try await study.send("GET", path, token: "nobody").text == "theirs")
                #expect(try await study.send("GET", path).text == "theirs")
                #expect(try await study.send("GET", path, token: device.token).text.contains(type))
                #expect(try await study.send("GET", "/c3pro" + path, token: staffToken).text.contains(type))
            }
        }
    }

    @Test func withoutRecordsOnlyDevicesMayReadPublishedContent() async throws {
        try await Study.with { study in
            let device = try await study.device()
            #expect(try await study.send("GET", "/fhir/Contract/sleep", token: device.token).status == 200)
            for token in [nil, "nobody", staffToken] {
                #expect(try await study.send("GET", "/fhir/Contract/sleep", token: token).status == 401)
            }
        }
    }
}
