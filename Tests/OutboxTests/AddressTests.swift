import Foundation
import Testing

@testable import Outbox

/// An enrolment follows its server, and connection errors name the address that was tried.
@Suite struct AddressTests {
    @Test func onlyAddressAndAuthorityOfAnEnrolmentCanChange() throws {
        let enrolment = try ScriptedStudy.enrolment()
        let moved = try enrolment.changing(baseURL: "https://other.example/s/")
        #expect(moved.baseURL == "https://other.example/s")
        #expect((moved.clientID, moved.clientSecret) == (enrolment.clientID, enrolment.clientSecret))
        #expect(moved.certificateAuthority == nil)
        let trusting = try moved.changing(certificateAuthority: "PEM")
        #expect(trusting.baseURL == moved.baseURL)
        #expect(try trusting.changing(baseURL: "https://third.example").certificateAuthority == "PEM")
        #expect(throws: OutboxError.self) { try enrolment.changing(baseURL: "http://study.example") }
        // An enrolment stored by an earlier version has no authority.
        let kept = try JSONEncoder().encode(enrolment)
        #expect(!String(decoding: kept, as: UTF8.self).contains("certificateAuthority"))
        #expect(try JSONDecoder().decode(Enrolment.self, from: kept) == enrolment)
    }

    @Test func errorsNameTheOriginWithoutThePath() throws {
        let url = try #require(URL(string: "https://study.example:8443/questionnaires/secret?token=x"))
        let broken = OutboxError.unreached(url)
        #expect(broken.code == "connection-failed")
        #expect(broken.message.contains("https://study.example:8443 ") && !broken.message.contains("secret"))
        let six = try #require(URL(string: "https://[::1]:9/x"))
        #expect(six.origin == "https://[::1]:9")
    }

    @Test(arguments: [
        (NSURLErrorServerCertificateUntrusted, "", true), (NSURLErrorServerCertificateHasBadDate, "", true),
        (-1, "SSL certificate problem: unable to get local issuer certificate", true),
        (-1, "SSL: no alternative certificate subject name matches target host name 'x'", true),
        (NSURLErrorCannotConnectToHost, "Failed to connect", false), (-1, "Recv failure", false),
    ])
    func untrustedCertificateIsDistinguishedFromABrokenConnection(code: Int, words: String, isUntrusted: Bool) {
        let error = NSError(domain: NSURLErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: words])
        let failure = OutboxError.unreached(URL(string: "https://study.example"), because: error)
        #expect((failure.reason == .certificateUntrusted) == isUntrusted)
        #expect(failure.message.contains("https://study.example"))
    }
}
