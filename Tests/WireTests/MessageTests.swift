import Foundation
import Testing
import Wire

@Suite struct MessageTests {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test func aRegistrationHasTheNamesOfTheStandardAndOfC3PRO() throws {
        let request = RegistrationRequest(receiptData: "MIIB", clientName: "Sleep", sandbox: true)
        #expect(
            try json(request)
                == #"{"client_name":"Sleep","grant_types":["client_credentials"],"receipt-data":"MIIB","sandbox":true,"token_endpoint_auth_method":"client_secret_basic"}"#
        )
        let other =
            #"{"receipt-data":"x","redirect_uris":["urn:x"],"logo_uri":"y","grant_types":["client_credentials","refresh_token"]}"#
        #expect(RegistrationRequest(reading: Data(other.utf8))?.receiptData == "x")
        #expect(RegistrationRequest(reading: Data(#"{"sandbox":true}"#.utf8)) == nil)
    }

    /// The value is that of `printf 'tributary-enrolment:%s' aaaaaaaaaaaaaaaaaaaaaaaaaa | sha256sum`.
    @Test func anInvitationIsProvedByADigest() throws {
        let code = String(repeating: "a", count: 26)
        let proof = "01a714df2109a5128b52329a7527b8f0c1376cf01e357c06a8409bb0b093ccf7"
        #expect(InvitationRegistration.proof(of: code) == proof)
        let request = InvitationRegistration(code: code, installation: "i")
        #expect(
            try json(request)
                == #"{"grant_types":["client_credentials"],"installation":"i","invitation":"\#(proof)","token_endpoint_auth_method":"client_secret_basic"}"#
        )
        #expect(InvitationRegistration(reading: Data(#"{"invitation":"p"}"#.utf8)) == nil)
    }

    @Test func answersHaveTheNamesOfTheStandards() throws {
        #expect(
            try json(RegistrationResponse(clientID: "a", clientSecret: "b", issuedAt: 5))
                == #"{"client_id":"a","client_id_issued_at":5,"client_secret":"b","client_secret_expires_at":0,"grant_types":["client_credentials"],"token_endpoint_auth_method":"client_secret_basic"}"#
        )
        #expect(
            try json(TokenResponse(accessToken: "t", expiresIn: 1800))
                == #"{"access_token":"t","expires_in":1800,"token_type":"bearer"}"#)
        #expect(
            try json(OAuthError(error: "invalid_client", errorDescription: "No."))
                == #"{"error":"invalid_client","error_description":"No."}"#)
        #expect(
            try json(ProblemDetails(status: 413, title: "Too large", code: "submission-too-large"))
                == #"{"code":"submission-too-large","status":413,"title":"Too large","type":"about:blank"}"#)
    }

    @Test func aPageOfDeliveriesHasTheFixedNames() throws {
        let page = DeliveriesPage(
            deliveries: [.init(submission: "s", status: "stored", at: "2026-01-02T03:04:05.000Z")], next: "3.12",
            epoch: 3)
        #expect(
            try json(page)
                == #"{"deliveries":[{"at":"2026-01-02T03:04:05.000Z","status":"stored","submission":"s"}],"epoch":3,"next":"3.12"}"#
        )
    }

    @Test func aPageOfAnOlderServerIsRead() throws {
        let old =
            #"{"deliveries":[{"at":"2026","status":"stored","submission":"s","versionId":"Patient/1/_history/1"}],"next":"12"}"#
        let page = try #require(DeliveriesPage(reading: Data(old.utf8)))
        #expect(page.deliveries == [.init(submission: "s", status: "stored", at: "2026")])
        #expect(page.next == "12" && page.epoch == nil)
    }

    @Test func acknowledgementsAndRefusalsNameTheirSubmission() throws {
        #expect(
            try json(SubmissionAcknowledgement(submission: "s")) == #"{"status":"received","submission":"s"}"#)
        #expect(
            try json(ProblemDetails(status: 409, title: "Conflict", code: "submission-conflict", submission: "s"))
                == #"{"code":"submission-conflict","status":409,"submission":"s","title":"Conflict","type":"about:blank"}"#
        )
        #expect(SubmissionAcknowledgement(reading: Data(#"{"status":409,"submission":"s"}"#.utf8)) == nil)
    }

    @Test(arguments: ["1e400", "1e30", "9223372036854775808", "0.5", "\"soon\"", "null"])
    func tokenWithAnInvalidLifetimeIsAccepted(lifetime: String) throws {
        let answer = #"{"access_token":"t","expires_in":\#(lifetime),"token_type":"bearer"}"#
        let token = try #require(TokenResponse(reading: Data(answer.utf8)))
        #expect(token.accessToken == "t" && token.expiresIn == nil)
    }

    /// Each message is read with all the members that were written.
    @Test func messagesAreReadUnchanged() throws {
        func again<Message: JSONMessage & Encodable & Equatable>(_ message: Message) throws {
            #expect(Message(reading: Data(try json(message).utf8)) == message)
        }
        try again(RegistrationRequest(receiptData: "r", clientName: "n", softwareVersion: "1", sandbox: true))
        try again(InvitationRegistration(code: "c", installation: "i", clientName: "n", softwareVersion: "1"))
        try again(RegistrationResponse(clientID: "a", clientSecret: "b", issuedAt: 5))
        try again(TokenResponse(accessToken: "t", expiresIn: 60))
        try again(OAuthError(error: "invalid_client", errorDescription: "No."))
        try again(ProblemDetails(status: 409, title: "t", code: "c", detail: "d", submission: "s"))
        try again(SubmissionAcknowledgement(submission: "s"))
        let delivery = DeliveriesPage.Delivery(submission: "s", status: "refused", at: "2026", reason: "withdrawn")
        try again(DeliveriesPage(deliveries: [delivery, delivery], next: "n", epoch: 7))
    }

    @Test(arguments: [
        #"{"submission":"s","submission":"t","status":"received"}"#, #"{"submission":"s","status":"received"} x"#,
        #"["submission"]"#, "", "null", String(repeating: "[", count: 100_000), #"{"submission":null,"status":"a"}"#,
    ])
    func invalidBodyReadsAsNil(body: String) {
        #expect(SubmissionAcknowledgement(reading: Data(body.utf8)) == nil)
    }

    @Test(arguments: [
        #"{"code":1}"#, #"{"status":"409"}"#, #"{"submission":["s"]}"#, #"{"detail":{}}"#, "[]", "1",
    ])
    func problemWithAMemberOfAnotherTypeReadsAsNil(body: String) {
        #expect(ProblemDetails(reading: Data(body.utf8)) == nil)
    }

    @Test func pageWithAnInvalidDeliveryReadsAsNil() {
        let body = #"{"deliveries":[{"at":"2026","status":"stored","submission":"s"},{"at":"2026"}],"next":"12"}"#
        #expect(DeliveriesPage(reading: Data(body.utf8)) == nil)
    }

    @Test func anEnvelopeIsListedUnderItsSIDOrAnIDOfItsContent() throws {
        let sealed = C3PROEnvelope(keyID: "", symmetricKey: "AA==", message: "AA==", version: "1.0.2")
        let header = try EnvelopeHeader.read(from: sealed.bytes)
        #expect(header.listedSubmissionID == Self.id(ofSHA256: header.digest))
        #expect(UUID(uuidString: header.listedSubmissionID) != nil)
        #expect(Array(header.listedSubmissionID)[14] == "8")
        #expect("89ab".contains(Array(header.listedSubmissionID)[19]))
    }

    /// RFC 9562 section 5.8, implemented in another way: with bytes and masks.
    private static func id(ofSHA256 hex: String) -> String {
        var bytes = stride(from: 0, to: 32, by: 2).map { offset -> UInt8 in
            let start = hex.index(hex.startIndex, offsetBy: offset)
            return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16) ?? 0
        }
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x0F | [0x80, 0x90, 0xA0, 0xB0][Int(Array(hex.utf8)[16]) % 4]
        let digits = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { range in
            String(Array(digits)[range])
        }
        return parts.joined(separator: "-")
    }
}
