import Attachments
import Crypto
import FHIR
import Foundation
import Testing

@Suite struct AttachmentCleaningTests {
    private static let dirty = JPEGBytes.file(JPEGBytes.jfif, JPEGBytes.exifSegment(orientation: 6), trailing: [1])
    private static let pdf = Array("%PDF-1.7 SECRET".utf8)

    private func response(_ attachment: JSON, linkID: String = "photo") throws -> JSONObject {
        let json: JSON = [
            "resourceType": "QuestionnaireResponse", "status": "completed",
            "item": [
                [
                    "linkId": "group",
                    "item": [["linkId": .string(linkID), "answer": [["valueAttachment": attachment]]]],
                ], ["linkId": "other", "answer": [["valueString": "photo.jpg"]]],
            ],
        ]
        return try #require(json.object)
    }

    private func attachment(_ bytes: [UInt8], _ more: [(String, JSON)] = []) -> JSON {
        var object = JSONObject()
        object["data"] = .string(Data(bytes).base64EncodedString())
        for (name, value) in more { object[name] = value }
        return .object(object)
    }

    private func attachment(in response: JSONObject) -> JSONObject? {
        JSON.object(response)["item"]?[0]?["item"]?[0]?["answer"]?[0]?["valueAttachment"]?.object
    }

    @Test func photoLosesItsMetadataAndItsNames() throws {
        let given = attachment(
            Self.dirty,
            [
                ("contentType", "image/jpeg"), ("title", "Anna_Muster.jpg"), ("url", "file:///Users/anna/IMG_1.jpg"),
                ("creation", "2026-01-02T03:04:05Z"), ("_title", ["extension": []]),
                ("size", .number(JSONNumber(Self.dirty.count))), ("hash", "AAAA"),
            ])
        let outcome = AttachmentCleaning().clean(try response(given))
        let clean = try #require(attachment(in: outcome.object))
        #expect(clean.keys == ["data", "contentType", "size", "hash"])
        let bytes = try #require(clean["data"]?.string.flatMap { Data(base64Encoded: $0) })
        #expect(Array(bytes) == (try CleanedImage(Self.dirty).bytes))
        #expect(clean["size"]?.integer == bytes.count)
        #expect(clean["hash"]?.string == Data(Insecure.SHA1.hash(data: bytes)).base64EncodedString())
        let path = "QuestionnaireResponse.item[0].item[0].answer[0].valueAttachment"
        #expect(outcome.findings.map(\.element) == ["title", "creation", "url", "data"].map { "\(path).\($0)" })
        #expect(outcome.findings.last?.metadata == [.exif, .trailingData])
        #expect(outcome.findings.allSatisfy { $0.error == nil })
        // A clean attachment stays unchanged, byte by byte.
        let again = AttachmentCleaning().clean(outcome.object)
        #expect(again.findings.isEmpty && again.object == outcome.object)
    }

    @Test func bytesDecideTheContentType() throws {
        let clean = try AttachmentCleaning().cleaned(
            try response(attachment(PNGBytes.file(), [("contentType", "image/jpeg")])))
        #expect(attachment(in: clean)?["contentType"]?.string == "image/png")
        let lie = try response(attachment(Self.pdf, [("contentType", "image/jpeg")]))
        #expect(throws: AttachmentError.self) { try AttachmentCleaning().cleaned(lie) }
    }

    @Test func attachmentThatCannotBeCleanedIsRefusedUnlessTheItemAllowsIt() throws {
        let given = try response(attachment(Self.pdf, [("title", "Anna.pdf")]))
        let error = #expect(throws: AttachmentError.self) { try AttachmentCleaning().cleaned(given) }
        #expect(error?.code == "attachment-not-cleanable")
        #expect(throws: AttachmentError.self) { try AttachmentCleaning(asIs: ["other"]).cleaned(given) }
        let taken = try AttachmentCleaning(asIs: ["photo"]).cleaned(given)
        #expect(attachment(in: taken)?.keys == ["data"], "its name goes all the same")
        #expect(attachment(in: taken)?["data"]?.string == Data(Self.pdf).base64EncodedString())
    }

    @Test func linkInsteadOfAFileIsRefusedUnlessTheItemAllowsIt() throws {
        let given = try response(["url": "https://example.org/Anna.jpg"])
        let error = #expect(throws: AttachmentError.self) { try AttachmentCleaning().cleaned(given) }
        #expect(error?.code == "attachment-not-cleanable" && error?.message.contains("Anna") == false)
        #expect(try AttachmentCleaning(asIs: ["photo"]).cleaned(given) == given)
    }

    @Test func invalidBase64IsDamaged() throws {
        let error = #expect(throws: AttachmentError.self) {
            try AttachmentCleaning().cleaned(try response(["data": "Anna Muster!"]))
        }
        #expect(error?.code == "attachment-damaged")
        // FHIR allows line breaks.
        let text = Data(PNGBytes.file()).base64EncodedString(options: [.lineLength64Characters])
        #expect(AttachmentCleaning().clean(try response(["data": .string(text)])).findings.isEmpty)
    }

    @Test func textAnswersStayUnchanged() throws {
        let given = try response(attachment(PNGBytes.file()))
        #expect(try AttachmentCleaning().cleaned(given) == given)
    }

    @Test func documentOfAHospitalStaysUnchangedExceptForItsPictures() throws {
        func document(_ bytes: [UInt8]) throws -> JSONObject {
            try #require(
                ([
                    "resourceType": "DocumentReference",
                    "content": [["attachment": attachment(bytes, [("title", "Discharge")])]],
                ] as JSON).object)
        }
        let note = try document(Self.pdf)
        #expect(try AttachmentCleaning().cleaned(note) == note)
        let outcome = AttachmentCleaning().clean(try document(Self.dirty))
        #expect(outcome.findings.map(\.element) == ["DocumentReference.content[0].attachment.data"])
        #expect(JSON.object(outcome.object)["content"]?[0]?["attachment"]?["title"] == "Discharge")
    }

    @Test func textOfAConsentIsAcceptedAndItsSignedPageIsRefused() throws {
        func contract(_ bytes: [UInt8]) throws -> JSONObject {
            try #require(
                ([
                    "resourceType": "Contract",
                    "legal": [["contentAttachment": attachment(bytes, [("title", "Terms")])]],
                ]
                    as JSON).object)
        }
        let text = try contract(Array("<p>What this is about</p>".utf8))
        #expect(try AttachmentCleaning().cleaned(text) == text)
        let error = #expect(throws: AttachmentError.self) { try AttachmentCleaning().cleaned(try contract(Self.pdf)) }
        #expect(error?.reason == .notCleanable)
    }

    @Test func pathOfAFindingContainsOnlyNamesOfFHIR() throws {
        let json: JSON = [
            "resourceType": "Observation", "AnnaMuster": ["valueAttachment": attachment(Self.dirty)],
        ]
        let findings = AttachmentCleaning().clean(try #require(json.object)).findings
        #expect(findings.map(\.element) == ["Observation.data"])
    }

    @Test func everyElementOfTheTypeIsKnownByItsName() {
        let model = TypeModel.r4
        var names: Set<String> = []
        for number in 0..<model.elementCount {
            let declared = model.declaration(Int32(number))
            guard declared.types.contains(where: { model.name(of: $0.type) == "Attachment" }) else { continue }
            names.insert(declared.isChoice ? declared.name + "Attachment" : declared.name)
        }
        #expect(names.count > 8)
        for name in names {
            var object = JSONObject(resourceType: "Observation")
            object[name] = attachment(Self.dirty)
            #expect(AttachmentCleaning().clean(object).findings.count == 1, "\(name)")
        }
    }

    @Test func aBinaryIsAnAttachment() throws {
        let json: JSON = [
            "resourceType": "QuestionnaireResponse",
            "contained": [["resourceType": "Binary", "id": "b", "contentType": "application/pdf", "data": "JVBERi0x"]],
        ]
        #expect(throws: AttachmentError.self) { try AttachmentCleaning().cleaned(try #require(json.object)) }
    }
}
