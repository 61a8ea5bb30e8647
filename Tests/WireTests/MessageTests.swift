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
        #expect(try JSONDecoder().decode(RegistrationRequest.self, from: Data(other.utf8)).receiptData == "x")
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(RegistrationRequest.self, from: Data(#"{"sandbox":true}"#.utf8))
        }
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
            deliveries: [.init(submission: "s", status: "stored", at: "2026-01-02T03:04:05.000Z", versionId: "1")],
            next: "12")
        #expect(
            try json(page)
                == #"{"deliveries":[{"at":"2026-01-02T03:04:05.000Z","status":"stored","submission":"s","versionId":"1"}],"next":"12"}"#
        )
    }
}
