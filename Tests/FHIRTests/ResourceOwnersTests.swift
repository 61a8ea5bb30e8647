import TestSupport
import Testing

@testable import FHIR

@Suite struct ResourceOwnersTests {
    private func owners(_ text: String) throws -> ResourceOwners { try Resource(Array(text.utf8)).owners }

    /// A resource of a type with a value at the end of a path of nested arrays.
    private func resource(_ type: String, path: [String], value: JSON, subject: JSON? = nil) -> Resource {
        var inner: JSON = [value]
        for name in path.dropFirst().reversed() { inner = [.object(wrapped(name, inner))] }
        var object = JSONObject()
        object["resourceType"] = .string(type)
        object[path[0]] = inner
        if let subject {
            if path == ["subject"] { object["patient"] = subject } else { object["subject"] = subject }
        }
        return Resource(object)
    }

    private func wrapped(_ name: String, _ value: JSON) -> JSONObject {
        var object = JSONObject()
        object[name] = value
        return object
    }

    @Test func everyParameterOfThePatientCompartmentIsRead() {
        #expect(OwnerPaths.r4.unread == [])
        let types = SearchParameterTable.r4.types(in: "Patient")
        #expect(types.count >= 60)
        for type in types where type != "Patient" {
            for code in SearchParameterTable.r4.compartmentParameters("Patient", of: type) {
                let expression = SearchParameterTable.r4.parameter(code, of: type)?.expression ?? ""
                let paths = OwnerPaths.compiled(expression, of: type) ?? []
                #expect(!paths.isEmpty, "\(type).\(code)")
                #expect(paths.allSatisfy { path in OwnerPaths.r4.paths(of: type).contains { $0.names == path } })
            }
        }
    }

    @Test func aSecondPatientIsFoundAtEveryPathOfEveryType() {
        var count = 0
        for type in SearchParameterTable.r4.types(in: "Patient") + ["Device", "Contract", "Task"]
        where type != "Patient" {
            for path in OwnerPaths.r4.paths(of: type) {
                let names = path.names
                for text in ["Patient/B", "Patient/B/_history/3"] {
                    let found = resource(
                        type, path: names, value: ["reference": .string(text)], subject: ["reference": "Patient/A"]
                    ).owners
                    #expect(found.patients == ["A", "B"], "\(type).\(names.joined(separator: "."))")
                    #expect(found.one == nil)
                }
                // A Patient of another server is another patient, for any id.
                let far = "https://x.example/fhir/Patient/A"
                let abroad = resource(
                    type, path: names, value: ["reference": .string(far + "/_history/3")],
                    subject: ["reference": "Patient/A"]
                ).owners
                #expect(abroad.patients == ["A"] && abroad.elsewhere == [far] && abroad.one == nil)
                #expect(abroad.local(to: ["https://x.example/fhir"]).one == "A")
                let single = resource(type, path: names, value: ["reference": "Patient/B"]).owners
                #expect(single.one == "B", "\(type).\(names.joined(separator: "."))")
                let unknown = resource(
                    type, path: names, value: ["type": "Patient", "identifier": ["value": "7"]],
                    subject: ["reference": "Patient/A"]
                ).owners
                #expect(unknown.hasUnresolved && unknown.one == nil, "\(type).\(names.joined(separator: "."))")
                count += 1
            }
        }
        print("\(count) paths")
        #expect(count > 150)
    }

    @Test func patientIsItsOnlyOwner() throws {
        let text = #"{"resourceType":"Patient","id":"a","link":[{"other":{"reference":"Patient/b"}}]}"#
        #expect(try owners(text).one == "a")
        #expect(try owners(#"{"resourceType":"Patient"}"#) == ResourceOwners(patients: [], hasUnresolved: true))
    }

    @Test func patientOfAnotherServerIsADifferentOwner() throws {
        let far = "http://elsewhere.example/fhir/Patient/a"
        let found = try owners(#"{"resourceType":"Observation","subject":{"reference":"\#(far)"}}"#)
        #expect(found == ResourceOwners(patients: [], elsewhere: [far]))
        #expect(found.one == nil && found.all == [far])
        #expect(found.local(to: ["http://here.example/fhir"]) == found)
        #expect(found.local(to: ["http://here.example/fhir", "http://elsewhere.example/fhir"]).one == "a")
        // No store can index such a text, so its owner is not reported.
        let long = "http://" + String(repeating: "x", count: 600) + "/Patient/a"
        let unkept = try owners(#"{"resourceType":"Observation","subject":{"reference":"\#(long)"}}"#)
        #expect(unkept == ResourceOwners(patients: [], hasUnresolved: true))
    }

    @Test func consentWithTwoPatientsHasTwoOwners() throws {
        let text = """
            {"resourceType":"Consent","patient":{"reference":"Patient/b"},"subject":{"reference":"Patient/a"}}
            """
        #expect(try owners(text).patients == ["a", "b"])
    }

    @Test func typesOutsideOfTheCompartmentBelongToTheirSubject() throws {
        #expect(try owners(#"{"resourceType":"Device","patient":{"reference":"Patient/a"}}"#).one == "a")
        let contract = """
            {"resourceType":"Contract","subject":[{"reference":"Patient/a"}],
             "signer":[{"party":{"reference":"Patient/b"}}]}
            """
        #expect(try owners(contract).patients == ["a", "b"])
        #expect(try owners(#"{"resourceType":"Task","for":{"reference":"Patient/a"}}"#).one == "a")
        #expect(try owners(#"{"resourceType":"Novelty","subject":{"reference":"Patient/a"}}"#).one == "a")
        #expect(try owners(#"{"resourceType":"Library","subjectReference":{"reference":"Patient/a"}}"#).one == "a")
        #expect(try owners(#"{"resourceType":"Questionnaire"}"#) == ResourceOwners(patients: []))
    }

    /// Access to a Binary is access to the resource of its `securityContext`.
    @Test func binaryBelongsToItsSecurityContext() throws {
        func binary(_ reference: String) throws -> ResourceOwners {
            try owners(#"{"resourceType":"Binary","securityContext":{"reference":"\#(reference)"}}"#)
        }
        #expect(try binary("Patient/a").one == "a")
        #expect(try binary("DocumentReference/d").one == nil)
        #expect(try owners(#"{"resourceType":"Binary"}"#) == ResourceOwners(patients: []))
    }

    @Test(arguments: [
        #"{"reference":"urn:uuid:53fefa32-fcbb-4ff8-8a92-55ee120877b7"}"#,
        ##"{"reference":"#p"}"##, ##"{"reference":"#nobody"}"##, ##"{"reference":"Patient?identifier=7"}"##,
        #"{"reference":"Patient/"}"#, #"{"reference":"patient/b"}"#, #"{"reference":"Patient/b#x"}"#,
        #"{"reference":"Novelty/b"}"#, #"{"reference":7}"#, #"{"identifier":{"value":"7"}}"#,
        #"{"type":"Patient","display":"B"}"#, #"{"reference":"Practitioner/b","type":"Patient"}"#,
        #"{"type":"http://hl7.org/fhir/StructureDefinition/Patient"}"#, #""Patient/b""#,
    ])
    func possiblePatientIsUnresolved(_ subject: String) throws {
        let text = """
            {"resourceType":"Observation","contained":[{"resourceType":"Patient","id":"p"}],
             "performer":[{"reference":"Patient/a"}],"subject":\(subject)}
            """
        let found = try owners(text)
        #expect(found.patients == ["a"])
        #expect(found.hasUnresolved)
        #expect(found.one == nil)
    }

    @Test(arguments: [
        ##"{"reference":"Practitioner/b"}"##, ##"{"reference":"#d"}"##, ##"{"reference":"#"}"##,
        ##"{"display":"Dr. B"}"##,
        #"{"identifier":{"value":"7"},"display":"Dr. B"}"#, #"{"type":"Organization","identifier":{"value":"7"}}"#,
        #"{"reference":"urn:uuid:53fefa32-fcbb-4ff8-8a92-55ee120877b7","type":"Practitioner"}"#,
    ])
    func referencesToOthersThanPatientsDoNotCount(_ performer: String) throws {
        let text = """
            {"resourceType":"Observation","contained":[{"resourceType":"Practitioner","id":"d"}],
             "subject":{"reference":"Patient/a"},"performer":[\(performer)]}
            """
        #expect(try owners(text).one == "a")
    }

    @Test func castsAndUnionsAreRead() {
        let text =
            "A.b.where(resolve() is Patient) | (A.c.d as Reference) | B.e | A.f.as(Reference) | A.g.ofType(Reference)"
        #expect(OwnerPaths.compiled(text, of: "A") == [["b"], ["c", "d"], ["f"], ["g"]])
        #expect(OwnerPaths.compiled("A.b.where(x = 1)", of: "A") == nil)
    }

    @Test func costIsLinearInTheReferences() {
        let growth = Growth.of { count in
            let members: [JSON] = (0..<count).map {
                ["entity": ["reference": .string($0 % 2 == 0 ? "Patient/p\($0)" : "#c\($0)")]]
            }
            let contained: [JSON] = (0..<count).map { ["resourceType": "Patient", "id": .string("c\($0)")] }
            var group = Resource(wrapped("resourceType", "Group"))
            group["contained"] = .array(contained)
            group["member"] = .array(members)
            return group
        } _: {
            #expect($0.owners.hasUnresolved)
        }
        print("owners \(growth)")
        #expect(growth.factor <= 6)
    }
}
