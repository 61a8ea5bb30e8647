import FHIR
import Foundation
import Testing

@testable import FHIRPatch

/// FHIRPath Patch (https://hl7.org/fhir/R4/fhirpatch.html).
@Suite struct FHIRPathPatchTests {
    private static let patient = """
        {"resourceType":"Patient","birthDate":"1920-01-01","_birthDate":{"id":"b"},"name":[{"use":"official","given":["A","B","C"]},\
        {"use":"nickname","given":["D"]}],"contact":[{"gender":"male"}],"maritalStatus":{"text":"x"},"deceasedBoolean":false}
        """

    private static func operation(_ type: String, path: String, parts: String...) -> String {
        let all = [#"{"name":"type","valueCode":"\#(type)"}"#, #"{"name":"path","valueString":"\#(path)"}"#] + parts
        return #"{"name":"operation","part":[\#(all.joined(separator: ","))]}"#
    }

    private static func name(_ text: String) -> String { #"{"name":"name","valueString":"\#(text)"}"# }
    private static func value(_ value: String) -> String { #"{"name":"value",\#(value)}"# }
    private static func number(_ name: String, _ value: Int) -> String {
        #"{"name":"\#(name)","valueInteger":\#(value)}"#
    }

    private func applied(_ operations: String...) throws -> JSON {
        let patch = #"{"resourceType":"Parameters","parameter":[\#(operations.joined(separator: ","))]}"#
        let resource = Resource(try #require(try JSON(parsing: Self.patient).object))
        return .object(
            try FHIRPathPatch(Resource(try #require(try JSON(parsing: patch).object))).applied(to: resource.object))
    }

    @Test func addCreatesElementsAndAppendsToLists() throws {
        let added = try applied(
            Self.operation("add", path: "Patient", parts: Self.name("active"), Self.value(#""valueBoolean":true"#)),
            Self.operation(
                "add", path: "Patient.name[0]", parts: Self.name("family"), Self.value(#""valueString":"F""#)),
            Self.operation(
                "add", path: "Patient.name.where(use = 'nickname')", parts: Self.name("given"),
                Self.value(#""valueString":"E""#)),
            Self.operation(
                "add", path: "Patient", parts: Self.name("identifier"), Self.value(#""valueIdentifier":{"value":"1"}"#)),
            Self.operation(
                "add", path: "Patient", parts: Self.name("contact"),
                Self.value(
                    #""part":[{"name":"name","valueHumanName":{"text":"t"}},{"name":"telecom","valueContactPoint":{"value":"9"}}]"#
                )))
        #expect(added["active"] == true && added["name"]?[0]?["family"] == "F")
        #expect(added["name"]?[1]?["given"] == .array(["D", "E"]))
        #expect(added["identifier"]?[0]?["value"] == "1")
        #expect(added["contact"]?[1]?["name"]?["text"] == "t")
    }

    @Test func insertsMovesAndDeletesInLists() throws {
        #expect(
            try applied(
                Self.operation(
                    "insert", path: "Patient.name[0].given", parts: Self.number("index", 1),
                    Self.value(#""valueString":"X""#)))[
                    "name"]?[0]?["given"] == .array(["A", "X", "B", "C"]))
        #expect(
            try applied(
                Self.operation(
                    "move", path: "Patient.name.first().given", parts: Self.number("source", 2),
                    Self.number("destination", 0)))[
                    "name"]?[0]?["given"] == .array(["C", "A", "B"]))
        let deleted = try applied(
            Self.operation("delete", path: "Patient.contact[0]"),
            Self.operation("delete", path: "Patient.name[0].given[1]"),
            Self.operation("delete", path: "Patient.deceased"), Self.operation("delete", path: "Patient.photo"))
        #expect(deleted["contact"] == nil && deleted["name"]?[0]?["given"] == .array(["A", "C"]))
        #expect(deleted["deceasedBoolean"] == nil)
        #expect(try applied(Self.operation("delete", path: "Patient.birthDate"))["_birthDate"] == nil)
    }

    @Test func replacesOneElement() throws {
        let replaced = try applied(
            Self.operation("replace", path: "Patient.birthDate", parts: Self.value(#""valueDate":"1930-01-01""#)),
            Self.operation("replace", path: "Patient.deceased", parts: Self.value(#""valueBoolean":true"#)),
            Self.operation(
                "replace", path: "Patient.name.where(use = 'official').given.last()",
                parts: Self.value(#""valueString":"Z""#)))
        #expect(replaced["birthDate"] == "1930-01-01" && replaced["deceasedBoolean"] == true)
        #expect(replaced["name"]?[0]?["given"]?[2] == "Z")
    }

    @Test(
        arguments: [
            (operation("replace", path: "Patient.name", parts: value(#""valueString":"x""#)), "patch-not-applicable"),
            (operation("replace", path: "Patient.photo", parts: value(#""valueString":"x""#)), "patch-not-applicable"),
            (operation("delete", path: "Patient.name.given"), "patch-not-applicable"),
            (operation("delete", path: "Observation.name[0]"), nil),
            (
                operation("add", path: "Patient", parts: name("birthDate"), value(#""valueDate":"2000""#)),
                "patch-not-applicable"
            ),
            (
                operation("add", path: "Patient.birthDate", parts: name("x"), value(#""valueDate":"2000""#)),
                "patch-not-applicable"
            ),
            (
                operation(
                    "insert", path: "Patient.name[0].given", parts: number("index", 4), value(#""valueString":"x""#)),
                "patch-not-applicable"
            ),
            (
                operation(
                    "insert", path: "Patient.name[0].given", parts: number("index", -1), value(#""valueString":"x""#)),
                "patch-invalid"
            ),
            (
                operation("insert", path: "Patient.name[0]", parts: number("index", 0), value(#""valueString":"x""#)),
                "patch-invalid"
            ),
            (
                operation("move", path: "Patient.name", parts: number("source", 0), number("destination", 9)),
                "patch-not-applicable"
            ),
            (operation("turn", path: "Patient.name"), "patch-invalid"),
            (operation("delete", path: "Patient..name"), "patch-invalid"),
            (operation("delete", path: "Patient.name.trace('x')"), "patch-invalid"),
            (operation("delete", path: ""), "patch-invalid"),
            (operation("delete", path: "Patient.name.where(("), "patch-invalid"),
            (operation("replace", path: "Patient.birthDate"), "patch-invalid"),
            (operation("delete", path: "Patient.name.where(given.single() = 'A')"), "patch-invalid"),
        ] as [(String, String?)])
    func invalidOperationIsRefused(operation: String, code: String?) throws {
        do throws(any Error) {
            let unchanged = try applied(operation)
            let patient = try JSON(parsing: Self.patient)
            #expect(code == nil && unchanged == patient)
        } catch let error as PatchError {
            #expect(error.code == code)
        }
    }

    @Test func conditionsThatTakeTooLongEnd() throws {
        let deep = String(repeating: "repeat(given).", count: 40) + "exists()"
        let path = "Patient.name.where(\(deep))"
        _ = try? applied(Self.operation("delete", path: path))
        let long = Self.operation("delete", path: "Patient" + String(repeating: ".name", count: 1_000))
        #expect(throws: PatchError.self) { try applied(long) }
    }

    private static func extensible(_ operations: String...) throws -> JSON {
        let patient = """
            {"resourceType":"Patient","birthDate":"1920-01-01","_birthDate":{"extension":[{"url":"urn:t","valueString":"a"}]},\
            "extension":[{"url":"http://e.org/x","valueString":"one"},{"url":"http://e.org/y","valueQuantity":{"value":1,"unit":"kg"}}],\
            "name":[{"use":"official","given":["A"]},{"use":"usual","given":["B"]},{"use":"old","given":["C"]}],"deceasedBoolean":false}
            """
        let patch = #"{"resourceType":"Parameters","parameter":[\#(operations.joined(separator: ","))]}"#
        let resource = Resource(try #require(try JSON(parsing: patient).object))
        return .object(
            try FHIRPathPatch(Resource(try #require(try JSON(parsing: patch).object))).applied(to: resource.object))
    }

    /// Paths in FHIRPath's syntax.
    @Test(arguments: [
        ("Patient.extension('http://e.org/x').value", "extension", 0, "valueString"),
        ("Patient.extension.where(url = 'http://e.org/x').value", "extension", 0, "valueString"),
        ("(Patient.extension('http://e.org/x').value as string)", "extension", 0, "valueString"),
        ("Patient.extension('http://e.org/x').value.ofType(string)", "extension", 0, "valueString"),
        ("extension('http://e.org/x').value", "extension", 0, "valueString"),
        ("%resource.extension('http://e.org/x').value", "extension", 0, "valueString"),
        ("Patient.name.skip(1).take(1).given[0]", "name", 1, "given"),
        ("Patient.name.tail().first().given.single()", "name", 1, "given"),
        ("(Patient.name.where(use = 'usual'))[0].given[0]", "name", 1, "given"),
        ("(Patient.name).where(use.startsWith('us')).given.last()", "name", 1, "given"),
        ("Patient.name.where(given.exists($this = 'B') and (use = 'usual')).given[0]", "name", 1, "given"),
    ])
    func pathsSelectTheElementsOfFHIRPath(path: String, list: String, index: Int, member: String) throws {
        let changed = try Self.extensible(
            Self.operation("replace", path: path, parts: Self.value(#""valueString":"new""#)))
        let element = changed[list]?[index]?[member]
        #expect(element == "new" || element == .array(["new"]), "\(changed)")
        let deleted = try Self.extensible(Self.operation("delete", path: path))
        #expect(deleted[list]?[index]?[member] == nil, "\(deleted)")
    }

    @Test func aValueOfAnotherTypeReplacesTheMember() throws {
        let changed = try Self.extensible(
            Self.operation(
                "replace", path: "Patient.extension('http://e.org/x').value", parts: Self.value(#""valueInteger":3"#)),
            Self.operation(
                "replace", path: "Patient.extension('http://e.org/y').value.unit",
                parts: Self.value(#""valueString":"g""#)))
        #expect(changed["extension"]?[0] == ["url": "http://e.org/x", "valueInteger": 3], "\(changed)")
        #expect(changed["extension"]?[1]?["valueQuantity"]?["unit"] == "g")
    }

    @Test func partsBecomeElementsOfTheirTypes() throws {
        func add(_ path: String, name: String, parts: String) -> String {
            Self.operation("add", path: path, parts: Self.name(name), #"{"name":"value","part":[\#(parts)]}"#)
        }
        let changed = try Self.extensible(
            add(
                "Patient", name: "extension",
                parts: #"{"name":"url","valueUri":"urn:z"},{"name":"value","valueString":"s"}"#),
            add(
                "Patient", name: "extension",
                parts:
                    #"{"name":"url","valueUri":"urn:n"},{"name":"extension","part":[{"name":"url","valueUri":"i"},{"name":"value","valueCode":"c"}]}"#
            ),
            add(
                "Patient", name: "contact",
                parts:
                    #"{"name":"telecom","valueContactPoint":{"value":"9"}},{"name":"name","part":[{"name":"given","valueString":"G"},{"name":"given","valueString":"H"}]}"#
            ),
            add(
                "Patient", name: "maritalStatus", parts: #"{"name":"coding","part":[{"name":"code","valueCode":"M"}]}"#),
            add(
                "Patient.birthDate", name: "extension",
                parts: #"{"name":"url","valueUri":"urn:b"},{"name":"value","valueInteger":1}"#))
        #expect(changed["extension"]?[2] == ["url": "urn:z", "valueString": "s"], "\(changed)")
        #expect(changed["extension"]?[3]?["extension"] == .array([["url": "i", "valueCode": "c"]]))
        #expect(changed["contact"]?[0]?["telecom"] == .array([["value": "9"]]))
        #expect(changed["contact"]?[0]?["name"]?["given"] == .array(["G", "H"]))
        #expect(changed["maritalStatus"] == ["coding": .array([["code": "M"]])])
        #expect(changed["_birthDate"]?["extension"]?[1] == ["url": "urn:b", "valueInteger": 1])
    }

    @Test func extensionsOfAPrimitiveAreFound() throws {
        let changed = try Self.extensible(
            Self.operation(
                "replace", path: "Patient.birthDate.extension('urn:t').value", parts: Self.value(#""valueString":"b""#))
        )
        #expect(changed["_birthDate"]?["extension"]?[0]?["valueString"] == "b" && changed["birthDate"] == "1920-01-01")
        #expect(throws: PatchError.self) {
            try Self.extensible(
                Self.operation(
                    "add", path: "Patient", parts: Self.name("maritalStatus"),
                    #"{"name":"value","part":[{"name":"text","valueString":"a"},{"name":"text","valueString":"b"}]}"#))
        }
    }
}
