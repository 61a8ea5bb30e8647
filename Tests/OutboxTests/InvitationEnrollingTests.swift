import Foundation
import TestSupport
import Testing
import Wire

@testable import Outbox

/// Enrolment with an invitation code.
@Suite struct InvitationEnrollingTests {
    private static let code = String(repeating: "a", count: 26)

    @Test func proofOfTheCodeIsSentAndTheCodeIsNot() async throws {
        let study = ScriptedStudy()
        let enrolment = try await StudyConnection.enrol(
            url: "https://study.example/s/", antispam: "word", invitation: Self.code, installation: "the-installation",
            clientName: "Sleep", transport: study)
        #expect(enrolment.clientID == "id 1" && enrolment.antispam == "word")
        let requests = await study.requests
        #expect(requests.map(\.url.path) == ["/s/.well-known/jwks.json", "/s/register"])
        let sent = try #require(requests.last?.body)
        #expect(!String(decoding: sent, as: UTF8.self).contains(Self.code))
        let body = try #require(InvitationRegistration(reading: sent))
        #expect(body.invitation == InvitationRegistration.proof(of: Self.code))
        #expect(body.installation == "the-installation" && body.clientName == "Sleep")
        // Not a registration with a receipt.
        #expect(RegistrationRequest(reading: sent) == nil)
    }

    @Test func installationKeepsItsSecretWithTheSecretsOfTheDevice() throws {
        let folder = try TemporaryFolder()
        let secret = try DeviceStore.open(folder.url).installationSecret()
        #expect(secret.utf8.count == 43)
        #expect(try DeviceStore.open(folder.url).installationSecret() == secret)
        let other = try TemporaryFolder()
        #expect(try DeviceStore.open(other.url).installationSecret() != secret)
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) {
            let file = folder.url.appendingPathComponent(path)
            guard (try? Data(contentsOf: file))?.range(of: Data(secret.utf8)) != nil else { continue }
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }
}
